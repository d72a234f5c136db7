/**
 * Puts an executable together from its parts. Everything but a few lines stands in comments at the
 * end of the file, which node has to scan only, where it would have to parse code: the start as it
 * is, every other part compressed. A hidden file beside the executable holds what a node compiled of
 * the start; the same node takes it from there, any other one, or one without it, compiles anew.
 */
import { createHash } from "node:crypto";
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
  /** The code that is compiled at start. */
  readonly start: string;
  /** Of that code, hex; what was compiled of it begins with this, and with the node that did. */
  readonly id: string;
  /** The packed parts again, by name. */
  readonly parts: ReadonlyMap<string, Buffer>;
}

/** Runs before anything else, in words that the oldest node understands. */
const versionCheck = `var v=process.versions.node.split(".");
if(+v[0]<20||(+v[0]===20&&+v[1]<19)){console.error("error: needs Node.js 20.19 or newer, this is "+process.versions.node);process.exitCode=2;return}`;

/** Stands for the end of a line within a comment. */
const lineEnd = "\u0001";

/** A comment's text: its first character, counted from the end of the file, and its length. */
type Span = readonly [from: number, length: number];

/**
 * Compiles and runs the start. V8 takes what another build of its version has compiled, and crashes
 * on it: so the node is part of the name as well.
 */
const opener = (
  [from, length]: Span,
  id: string,
): string => `var fs=require("fs"),path=require("path"),text,compiled;
function comment(from,length){
  text=text||fs.readFileSync(__filename,"latin1");
  return text.substr(text.length+from,length);
}
try{compiled=fs.readFileSync(path.join(__dirname,"."+path.basename(__filename)+".compiled"))}catch(e){}
var of="${id}"+process.version+process.platform+process.arch;
compiled=compiled&&compiled.latin1Slice(0,of.length)===of?compiled.subarray(of.length):undefined;
new(require("vm").Script)(comment(${from},${length}).replaceAll("\\u0001","\\n"),{filename:__filename,cachedData:compiled})
.runInThisContext()(require,__filename,__dirname,function(name,span){return Buffer.from(comment.apply(null,span),"base64")});`;

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

/** Check, opener, licenses, and in comments the start and the packed parts. */
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
  const comments = [start.replaceAll("\n", lineEnd), ...data];
  const [span = [0, 0]] = spansOf(comments);
  const id = createHash("sha256").update(start).digest("hex");
  const text = [
    "#!/usr/bin/env node",
    "(function(){",
    versionCheck,
    opener(span, id),
    "})();",
    licenses,
    ...comments.map((comment) => `//${comment}`),
    "",
  ].join("\n");
  expectPlain(text);
  return { text, start, id, parts };
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
