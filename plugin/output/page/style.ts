/** The style of a page: light and dark, on paper, wide and narrow. No color carries a meaning alone. */
export const style = `
:root{color-scheme:light dark;--ink:#1b2330;--soft:#566072;--line:#d5dae2;--page:#fff;--card:#f5f7fa;--head:#12325c;--good:#156f3c;--warn:#8a5200;--bad:#b3261e;--fill-good:#2f9e62;--fill-warn:#e0a030;--fill-bad:#d8453c;--fill-calm:#9aa5b5}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#a3adbc;--line:#39424f;--page:#14181e;--card:#1d232b;--head:#a9cbf7;--good:#6fd39b;--warn:#f0bd62;--bad:#ff9a92;--fill-good:#3fae73;--fill-warn:#c98a22;--fill-bad:#e05a50;--fill-calm:#6b7686}}
*{box-sizing:border-box}
html{text-size-adjust:100%;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:1120px;margin:0 auto;padding:24px 20px 48px}
h1{margin:0 0 16px;font-size:26px;line-height:1.25;color:var(--head)}
h2{margin:36px 0 12px;padding-bottom:6px;border-bottom:2px solid var(--line);font-size:19px;line-height:1.3;color:var(--head)}
h3{margin:24px 0 10px;font-size:16px}
h4,h5,h6{margin:18px 0 8px;font-size:14px;color:var(--soft)}
ul{margin:0 0 12px;padding-left:20px}
pre{margin:0 0 12px;padding:10px 14px;border:1px solid var(--line);border-radius:6px;background:var(--card);font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
.banner{margin:0 0 14px;padding:14px 18px;border:3px dashed var(--warn);border-radius:8px;color:var(--warn);font-size:24px;font-weight:800;line-height:1.25;text-transform:uppercase}
.card{margin:0 0 14px;padding:12px 16px;border:1px solid var(--line);border-left:6px solid var(--fill-calm);border-radius:6px;background:var(--card);break-inside:avoid}
main>.card b{font-size:18px}
.card.good{border-left-color:var(--fill-good)}
.card.warn{border-left-color:var(--fill-warn)}
.card.bad{border-left-color:var(--fill-bad)}
.t{font-weight:600}
.calm>b,.t.calm{color:var(--soft)}
.good>b,.t.good{color:var(--good)}
.warn>b,.t.warn{color:var(--warn)}
.bad>b,.t.bad{color:var(--bad)}
.calm>b::before,.t.calm::before{content:"\\2013\\a0"}
.good>b::before,.t.good::before{content:"\\2713\\a0"}
.warn>b::before,.t.warn::before{content:"!\\a0"}
.bad>b::before,.t.bad::before{content:"\\2717\\a0"}
dl{display:grid;grid-template-columns:minmax(110px,max-content) minmax(0,1fr);gap:4px 18px;margin:0 0 8px}
dt{color:var(--soft)}
dd{margin:0;white-space:pre-line;unicode-bidi:isolate}
.card dl{margin:6px 0 0}
table{width:100%;border-collapse:collapse;margin:0 0 12px;font-size:14px}
th,td{padding:6px 10px 6px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{border-bottom-width:2px;color:var(--soft);font-weight:600;vertical-align:bottom;overflow-wrap:normal}
td{unicode-bidi:isolate;white-space:pre-line}
td.short{overflow-wrap:normal;white-space:nowrap}
tr{break-inside:avoid}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,170px),1fr));gap:6px;padding:0;list-style:none}
.grid li{padding:6px 10px;border:1px solid var(--line);border-radius:4px;background:var(--card);font-size:13px;break-inside:avoid}
.grid .t{display:block}
.group{margin:10px 0 2px;font-size:13px;font-weight:700;color:var(--soft)}
.lane{display:grid;grid-template-columns:minmax(0,26%) minmax(0,1fr) minmax(0,24%);gap:4px 14px;align-items:center;padding:5px 0;border-bottom:1px solid var(--line);font-size:13px;break-inside:avoid}
.lane span{unicode-bidi:isolate}
.axis{border:0}
.ticks{display:flex;justify-content:space-between;font-variant-numeric:tabular-nums}
.says,.axis,.key,footer{color:var(--soft);font-size:13px}
svg{display:block;width:100%;height:22px;background:var(--card);border-radius:3px}
rect.good{fill:var(--fill-good)}
rect.warn{fill:var(--fill-warn)}
rect.bad{fill:var(--fill-bad)}
rect.calm{fill:var(--fill-calm)}
line{stroke:var(--line);vector-effect:non-scaling-stroke}
footer{margin-top:40px;padding-top:10px;border-top:1px solid var(--line)}
@media (max-width:700px){
main{padding:16px 14px 32px}
h1{font-size:21px}
.banner{padding:10px 12px;font-size:18px}
dl,.lane{grid-template-columns:minmax(0,1fr)}
dl{gap:0}
dd{margin-bottom:6px}
.axis span:empty{display:none}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr{display:block}
tr{padding:6px 0;border-bottom:1px solid var(--line)}
td,td.short{display:grid;grid-template-columns:92px minmax(0,1fr);gap:8px;padding:2px 0;border:0;white-space:pre-line}
td:empty{display:none}
td::before{content:attr(data-head);color:var(--soft);font-size:12.5px;overflow-wrap:normal}
}
@media print{
:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--page:#fff;--card:#fff;--head:#000;--good:#0b5a2e;--warn:#6b3f00;--bad:#8f1d16}
body{font-size:11pt}
main{max-width:none;padding:0}
h2,h3{break-after:avoid}
svg,.card{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`;
