/** The style of every page: system fonts, light and dark, from 320 pixels of width. */
export const style = `
:root{color-scheme:light dark;--text:#1c2024;--soft:#60646c;--page:#f6f7f9;--card:#fff;--line:#d9dce1;--field:#fff;--edge:#7d828c;--accent:#2455c4;--on:#fff;--bad:#a3241b;--bad-page:#fdf0ee;--good:#1d6b3c;--good-page:#edf8f1}
@media (prefers-color-scheme:dark){:root{--text:#eceef1;--soft:#a8adb7;--page:#111315;--card:#1a1d21;--line:#33383f;--field:#121417;--edge:#7f8691;--accent:#8fb0ff;--on:#0c1530;--bad:#ff9f94;--bad-page:#33191a;--good:#86d7a4;--good-page:#142a1d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;padding:clamp(1.25rem,6vw,5rem) 1rem 3rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.brand{max-width:28rem;margin:0 auto 1rem;font-weight:600;letter-spacing:.01em;color:var(--soft)}
main{max-width:28rem;margin:0 auto;padding:clamp(1.25rem,5vw,2rem);background:var(--card);border:1px solid var(--line);border-radius:12px}
.wide,.brand.wide{max-width:42rem}
h1{margin:0 0 1.25rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.01em}
h2{margin:0 0 .75rem;font-size:1.0625rem;line-height:1.3}
p{margin:0 0 1rem;overflow-wrap:anywhere}
section+section,form+section{margin-top:1.75rem;padding-top:1.75rem;border-top:1px solid var(--line)}
label{display:block;margin-bottom:.375rem;font-weight:500}
input{width:100%;padding:.625rem .75rem;border:1px solid var(--edge);border-radius:8px;background:var(--field);color:inherit;font:inherit}
.field{margin-bottom:1rem}
.problem{margin:.375rem 0 0;color:var(--bad);font-size:.875rem}
.hint,small{color:var(--soft);font-size:.875rem}
.hint{margin:.375rem 0 1rem}
a{color:var(--accent)}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
main>code{display:block;margin:0 0 1rem;padding:.75rem;border:1px solid var(--edge);border-radius:8px;background:var(--field);overflow-wrap:anywhere;-webkit-user-select:all;user-select:all}
button,.button{display:block;width:100%;min-height:2.75rem;padding:.5rem 1rem;border:1px solid var(--edge);border-radius:8px;background:transparent;color:inherit;font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer;overflow-wrap:anywhere}
button.first,.button.first{border-color:var(--accent);background:var(--accent);color:var(--on)}
button:hover,.button:hover{filter:brightness(.95)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.providers{display:grid;gap:.625rem;margin:0 0 1.25rem;padding:0;list-style:none}
.notice,.alert{margin:0 0 1.25rem;padding:.75rem 1rem;border:1px solid;border-radius:8px}
.notice{color:var(--good);background:var(--good-page)}
.alert{color:var(--bad);background:var(--bad-page)}
.sessions{margin:0 0 1.25rem;padding:0;list-style:none}
.sessions li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.875rem 0;border-top:1px solid var(--line)}
.sessions li:first-child{border-top:0;padding-top:0}
.sessions .what{flex:1 1 16rem;min-width:0}
.sessions p{margin:0}
.sessions button{width:auto}
.sessions .browser{display:flex;flex-wrap:wrap;gap:.125rem .5rem;align-items:center}
.mark{padding:.0625rem .5rem;border:1px solid var(--good);border-radius:99px;color:var(--good);font-size:.8125rem;white-space:nowrap}
`.trim()
