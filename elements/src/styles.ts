const CSS = `
:host{display:inline-block;position:relative;font:15px/1.5 var(--gatehouse-font,system-ui,sans-serif);
--a:var(--gatehouse-accent,#1d5c4c);--r:var(--gatehouse-radius,8px);--bg:#fff;--fg:#1b1c19;--soft:#55564f;--line:#c9c7bd;--danger:#a3261b;color-scheme:light}
:host([theme=dark]){--a:var(--gatehouse-accent,#8fd3bf);--bg:#191c19;--fg:#ecebe4;--soft:#b3b5aa;--line:#444a44;--danger:#ff9d94;color-scheme:dark}
@media (prefers-color-scheme:dark){:host(:not([theme=light])){--a:var(--gatehouse-accent,#8fd3bf);--bg:#191c19;--fg:#ecebe4;--soft:#b3b5aa;--line:#444a44;--danger:#ff9d94;color-scheme:dark}}
:host{scrollbar-color:var(--soft) transparent}
:host([hidden]){display:none}
*{box-sizing:border-box;font:inherit}
button,.link{background:var(--bg);color:var(--fg);border:1px solid var(--line);border-radius:var(--r);padding:.4em .8em;cursor:pointer;text-decoration:none;display:inline-block}
button.plain,.plain{border:0;padding:.25em 0;background:none;color:var(--fg);text-decoration:underline}
button:focus-visible,a:focus-visible,select:focus-visible,textarea:focus-visible{outline:2px solid var(--a);outline-offset:2px}
button[disabled]{opacity:.6;cursor:default}
[aria-busy]{display:inline-block;padding:calc(.4em + 1px) .8em;color:var(--soft)}
.badge{display:inline-block;min-width:1.5em;background:var(--danger);color:var(--bg);border-radius:99px;padding:0 .4em;margin-inline-start:.4em;font-size:.8em;font-weight:600;text-align:center}
.panel{position:absolute;inset-inline-end:0;top:calc(100% + 6px);z-index:2147483000;width:min(360px,90vw);max-height:min(70vh,520px);overflow:auto;background:var(--bg);color:var(--fg);border:1px solid var(--line);border-radius:var(--r);padding:12px;box-shadow:0 8px 30px #0003;text-align:start;overflow-wrap:anywhere}
dialog{background:var(--bg);color:var(--fg);border:1px solid var(--line);border-radius:var(--r);width:min(440px,92vw);padding:16px;overflow-wrap:anywhere}
dialog::backdrop{background:#0006}
ul{list-style:none;margin:0;padding:0}li{border-top:1px solid var(--line);padding:8px 0}
h2,h3,p{margin:0 0 6px}h2,h3{font-weight:600}h2{font-size:1.1em}
p,h2,h3,label,.soft,.error{unicode-bidi:plaintext;text-align:-webkit-match-parent;text-align:match-parent}.row>*{margin:0}[type=submit]{border-color:var(--a)}
.soft{color:var(--soft);font-size:.9em}.row{display:flex;flex-wrap:wrap;gap:8px;align-items:center;justify-content:space-between}
.content{white-space:pre-line}.error{color:var(--danger)}
.unread{border-inline-start:3px solid var(--a);padding-inline-start:8px}
.warning{border-inline-start-color:var(--danger)}
label{display:block;margin:8px 0}select,textarea{width:100%;background:var(--bg);color:var(--fg);border:1px solid var(--line);border-radius:var(--r);padding:.4em}
textarea{min-height:7em;resize:vertical}
.avatar{display:inline-grid;place-items:center;width:1.8em;height:1.8em;border-radius:50%;background:var(--line);color:var(--fg);overflow:hidden;vertical-align:middle;margin-block:-.25em;margin-inline-end:.5em}
.avatar:empty::before{content:attr(data-initial)}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.name{display:inline-block;max-width:min(16em,50vw);overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
.avatar img{width:100%;height:100%;object-fit:cover}
.stack>*{display:block}
.icon{width:1.3em;height:1.3em;vertical-align:-.25em;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
@media (forced-colors:active){.badge{border:1px solid}}
`

let sheet: CSSStyleSheet | undefined

/** Constructed, so that a policy without `unsafe-inline` has nothing to refuse. */
export function styleSheet(): CSSStyleSheet {
  if (sheet) return sheet
  sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  return sheet
}
