/**
 * Puts an executable together from its parts: the code that runs at start, and every other part
 * compressed in a comment at the end of the file, which node only scans.
 */
import { brotliCompressSync } from "node:zlib";

/** One part of the program, as CommonJS. */
export interface Part {
  readonly name: string;
  readonly code: string;
}

interface Content {
  /** What runs at start, with `entry.js` among it. */
  readonly eager: readonly Part[];
  readonly packed: readonly Part[];
  /** Comments. */
  readonly licenses: string;
}

interface Assembled {
  /** The whole file. */
  readonly text: string;
  /** The function that runs at start: (require, __filename, __dirname, read). */
  readonly start: string;
  /** The packed parts again, by name. */
  readonly parts: ReadonlyMap<string, Buffer>;
}

/** Runs before anything else, in words that the oldest node understands. */
const versionCheck = `var v=process.versions.node.split(".");
if(+v[0]<20||(+v[0]===20&&+v[1]<19)){console.error("error: needs Node.js 20.19 or newer, this is "+process.versions.node);process.exitCode=2;return}`;

/** A comment's text: its first character, counted from the end of the file, and its length. */
type Span = readonly [from: number, length: number];

/** Reads a packed part of its own file. */
const reader = `var fs=require("fs"),text;
function read(name,span){
  text=text||fs.readFileSync(__filename,"latin1");
  return Buffer.from(text.substr(text.length+span[0],span[1]),"base64");
}`;

/** Finds, unpacks and compiles parts; each is run once, as node runs a module. */
const loader = `var cache={};
function load(name){
  var known=cache[name];
  if(known)return known.exports;
  var module=cache[name]={exports:{}};
  (parts[name]||unpack(name)).call(module.exports,module.exports,ask,module,__filename,__dirname);
  return module.exports;
}
function ask(name){
  var own=name.slice(0,2)==="./"&&name.slice(2);
  return own&&(parts[own]||own in packed)?load(own):require(name);
}
function unpack(name){
  var code=require("zlib").brotliDecompressSync(read(name,packed[name]));
  return require("vm").compileFunction(code.toString(),["exports","require","module","__filename","__dirname"],{filename:__filename+"/"+name});
}`;

/** Check, reader and start as code, the licenses, and in comments the packed parts. */
export function assemble({ eager, packed, licenses }: Content): Assembled {
  const parts = new Map(packed.map(({ name, code }) => [name, brotliCompressSync(code)]));
  const data = [...parts.values()].map((bytes) => bytes.toString("base64"));
  const spans = spansOf(data);
  const index = packed.map(({ name }, at) => `${JSON.stringify(name)}:[${spans[at]?.join()}]`);
  const atStart = eager.map(
    ({ name, code }) =>
      `${JSON.stringify(name)}:(function(exports,require,module,__filename,__dirname){${code}})`,
  );
  const start = `(function(require,__filename,__dirname,read){
var packed={${index.join()}};
${loader}
var parts={${atStart.join(",\n")}};
load("entry.js")})`;
  const text = [
    "#!/usr/bin/env node",
    "(function(){",
    versionCheck,
    reader,
    `${start}(require,__filename,__dirname,read);`,
    "})();",
    licenses,
    ...data.map((comment) => `//${comment}`),
    "",
  ].join("\n");
  expectPlain(text);
  return { text, start, parts };
}

/**
 * The main script of an executable that node is part of. There is no file to read: the parts are
 * assets, named PROGRAM/PART, and node's own modules are all that can be required. Called by the
 * name of `other`, it runs that one, whose start is an asset as well.
 */
export function singleMain(own: string, start: string, other?: string): string {
  const run = "(require,__filename,__dirname,read";
  const otherRun = `if(path.parse(process.argv0).name===${JSON.stringify(other)}){
var code=read(${JSON.stringify(other)})("start").toString();
return require("vm").runInThisContext(code,{filename:__filename})${run}(${JSON.stringify(other)}));
}`;
  return `(function(){
var sea=require("node:sea"),path=require("path");
function read(program){return function(name){return Buffer.from(sea.getRawAsset(program+"/"+name))}}
process.argv[1]=process.execPath;
${other === undefined ? "" : otherRun}
${start}${run}(${JSON.stringify(own)}));
})()`;
}

/** Where texts are that follow each other as comments, up to the end of the file. */
function spansOf(comments: readonly string[]): readonly Span[] {
  let fromEnd = 0;
  return comments
    .toReversed()
    .map((comment): Span => {
      fromEnd += comment.length + 1;
      const from = -fromEnd;
      fromEnd += 2;
      return [from, comment.length];
    })
    .toReversed();
}

function expectPlain(text: string): void {
  const wide = /.{0,40}[^\0-\x7f]/.exec(text)?.[0];
  if (wide !== undefined)
    throw new Error(`not ASCII, so node would keep all of it two bytes wide: ${wide}`);
  if (text.includes("\r")) throw new Error("a carriage return would end a comment");
}
