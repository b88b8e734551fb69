/**
 * Everything inherited is reset on the frame and not on the host, where a page's `* {}` would win. The font, the
 * direction and the colour scheme stay those of the page.
 */
const CSS = `
:host{display:inline-block;vertical-align:middle}
:host([hidden]){display:none}
.frame{all:initial;display:block;position:relative;direction:inherit;color-scheme:inherit;cursor:default;
font:14px/1.45 system-ui,sans-serif;font-family:var(--gatehouse-font,inherit);-webkit-text-size-adjust:100%;
--r:var(--gatehouse-radius,10px);--bg:#fff;--fg:#1b1c1e;--soft:#5c5f66;--line:#e3e4e8;--hover:#f4f5f7;--danger:#a3261b;--on-danger:#fff;--a:var(--gatehouse-accent,var(--page-accent,#1d5c4c));color:var(--fg);scrollbar-color:var(--soft) transparent}
@supports (color:light-dark(red,red)){.frame{--bg:light-dark(#fff,#1b1d20);--fg:light-dark(#1b1c1e,#eceef0);--soft:light-dark(#5c5f66,#b0b4ba);--line:light-dark(#e3e4e8,#35383c);--hover:light-dark(#f4f5f7,#26292d);--danger:light-dark(#a3261b,#ff9d94);--on-danger:light-dark(#fff,#1b1d20);--a:var(--gatehouse-accent,var(--page-accent,light-dark(#1d5c4c,#8fd3bf)))}}
:host([theme=light]) .frame{color-scheme:light}:host([theme=dark]) .frame{color-scheme:dark}
*{box-sizing:border-box}
button,a{all:unset;box-sizing:border-box;direction:inherit;unicode-bidi:isolate;cursor:pointer;border-radius:calc(var(--r)*.7)}
button:focus-visible,a:focus-visible,textarea:focus-visible,input:focus-visible+span{outline:2px solid var(--a);outline-offset:2px}
button[disabled]{opacity:.55;cursor:default}
h2,h3,p,ul,li,fieldset,legend{all:unset;box-sizing:border-box;direction:inherit;display:block;unicode-bidi:plaintext;text-align:-webkit-match-parent;text-align:match-parent}
h2{font-weight:600;font-size:15px}h3{font-weight:600}
.opener{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-height:40px;color:var(--page-color,var(--fg))}
.round{position:relative;inline-size:40px;block-size:40px;border-radius:50%}
.round:hover,.opener[aria-expanded=true].round{background:color-mix(in srgb,currentcolor 9%,transparent)}
.named{inline-size:auto;padding-inline:4px 12px;border-radius:99px}
.button{display:inline-flex;align-items:center;justify-content:center;gap:6px;min-height:36px;padding:0 14px;border:1px solid var(--line);border-radius:var(--r);background:var(--bg);color:var(--fg);font-weight:500;text-align:center}
.button:hover,.line:hover,.item:hover{background:var(--hover)}
.primary,.primary:hover{background:var(--a);border-color:var(--a);color:#fff;color:color(from var(--a) xyz-d65 clamp(0,(.179 - y)*9999,.9505) clamp(0,(.179 - y)*9999,1) clamp(0,(.179 - y)*9999,1.089))}
.badge{position:absolute;inset-block-start:1px;inset-inline-end:0;min-inline-size:18px;padding:0 4px;border-radius:99px;background:var(--danger);color:var(--on-danger);font-size:11px;line-height:18px;font-weight:600;text-align:center}
.panel{all:unset;box-sizing:border-box;direction:inherit;position:absolute;inset-inline-end:0;z-index:2147483000;display:flex;flex-direction:column;inline-size:min(380px,100vw - 16px);max-block-size:min(75vh,560px);overflow:hidden;background:var(--bg);color:var(--fg);border:1px solid var(--line);border-radius:calc(var(--r)*1.2);box-shadow:0 2px 6px #0000000f,0 12px 32px #00000029;overflow-wrap:anywhere}
.panel[popover]{position:fixed;inset:auto;margin:0}
.panel.small{inline-size:min(320px,100vw - 16px);overflow:auto}
.head,.foot{display:flex;align-items:center;justify-content:space-between;gap:8px;padding:12px 16px;flex:none}
.foot{border-block-start:1px solid var(--line);padding-block:6px;min-height:44px}
.text{color:var(--soft);font-size:13px;padding:4px 2px}.text:hover{color:var(--fg);text-decoration:underline}
.tabs{display:flex;gap:16px;padding:0 16px;border-block-end:1px solid var(--line);flex:none}
.tabs button{padding:6px 0 8px;color:var(--soft);border-radius:4px 4px 0 0;border-block-end:2px solid transparent;margin-block-end:-1px}
.tabs [aria-pressed=true]{color:var(--fg);border-color:var(--a);font-weight:500}
.list{display:block;overflow:auto;flex:1 1 auto;overscroll-behavior:contain}
.item{position:relative;display:flex;gap:10px;padding:12px 10px 12px 16px;padding-inline:16px 10px}
.item+.item{border-block-start:1px solid var(--line)}
.dot{flex:none;inline-size:8px;block-size:8px;margin-block-start:6px;border-radius:50%}
.unread .dot{background:var(--a)}.warning .dot{background:var(--danger)}
.body{flex:1;min-inline-size:0;display:grid;gap:2px}
.read h3{font-weight:500}
.whole{cursor:pointer}.whole:not([aria-expanded=true])::after{content:"";position:absolute;inset:0}
.content{color:var(--soft);white-space:pre-line}
.short{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.content a{position:relative;z-index:1;text-decoration:underline;color:var(--fg)}
.soft{color:var(--soft);font-size:13px}.error{color:var(--danger)}
.more{position:relative;z-index:1;display:grid;place-items:center;flex:none;inline-size:32px;block-size:32px;color:var(--soft)}
.more:hover{background:var(--line);color:var(--fg)}
.acts{position:relative;z-index:1;display:flex;flex-wrap:wrap;gap:6px;margin-block-start:6px}
.pair{display:grid;grid-auto-columns:1fr;grid-auto-flow:column}.pair .button{min-height:40px}
.sent{display:grid;gap:4px;padding:8px 10px;border:1px solid var(--line);border-radius:calc(var(--r)*.7);white-space:pre-line;margin-block:4px}
.acts:not(.pair) .button{min-height:30px;padding:0 10px;font-size:13px}
.empty{display:grid;justify-items:center;gap:10px;padding:36px 24px 40px;color:var(--soft);text-align:center;flex:none}
.who{display:flex;align-items:center;gap:12px;padding:16px;border-block-end:1px solid var(--line)}
.who>div{min-inline-size:0;display:grid}.who bdi{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.who .name{font-weight:600}
.lines{display:grid;padding:6px}
.line,::slotted(a),::slotted(button){display:flex;align-items:center;gap:12px;min-height:40px;padding:0 10px;border-radius:calc(var(--r)*.7)}
::slotted(*){all:unset!important;box-sizing:border-box!important;display:flex!important;align-items:center!important;min-height:40px!important;padding:0 10px!important;padding-inline-start:42px!important;border-radius:6px!important;cursor:pointer!important;color:var(--fg)!important;font:inherit!important}
::slotted(:hover){background:var(--hover)!important}
::slotted(:focus-visible){outline:2px solid var(--a)!important;outline-offset:-2px!important}
.line .icon{color:var(--soft)}
.problem{padding:8px 16px;flex:none}
.avatar{display:inline-grid;place-items:center;flex:none;inline-size:32px;block-size:32px;border-radius:50%;background:color-mix(in srgb,var(--a) 16%,var(--bg));color:var(--fg);font-weight:600;overflow:hidden;text-transform:uppercase}
.avatar.large{inline-size:40px;block-size:40px;font-size:16px}
.avatar:empty::before{content:attr(data-initial)}.avatar img{inline-size:100%;block-size:100%;object-fit:cover}
.square{border-radius:calc(var(--r)*.7)}.blank{background:var(--line)}.bar-of-text{inline-size:6em;block-size:10px;border-radius:5px}
.lines+.lines{border-block-start:1px solid var(--line)}.two{display:grid;min-inline-size:0}.two bdi,.who bdi{justify-self:start;max-inline-size:100%}.two .soft{line-height:1.3;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.line:has(.two){min-height:48px}.choose{color:var(--soft);inline-size:16px;margin-inline-start:-4px}.places{border-radius:var(--r)}
@media (max-width:480px){.places{inline-size:40px;padding:0}.places>:not(:first-child){display:none}}
.unseen{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.named .name{max-inline-size:min(14em,40vw)}
dialog{all:unset;box-sizing:border-box;direction:inherit;color:var(--fg);background:var(--bg);border:1px solid var(--line);border-radius:calc(var(--r)*1.4);inline-size:min(460px,100vw - 24px);max-block-size:calc(100dvh - 24px);padding:20px;overflow:auto;overflow-wrap:anywhere;position:fixed;inset:0;margin:auto;block-size:fit-content;box-shadow:0 16px 48px #00000040}
dialog:not([open]){display:none}dialog::backdrop{background:#0007}
.bar{display:flex;align-items:center;justify-content:space-between;gap:8px;margin-block-end:12px}
.close{display:grid;place-items:center;inline-size:32px;block-size:32px;margin:-6px;color:var(--soft)}.close:hover{background:var(--hover)}
form,.stack{display:grid;gap:14px}
legend,.label{font-weight:500;padding:0;margin-block-end:6px;display:block}
.kinds{display:flex;flex-wrap:wrap;gap:8px}
.kinds label{position:relative;display:block;cursor:pointer}.kinds input{position:absolute;opacity:0;inset:0;margin:0;cursor:pointer}
.kinds span{display:flex;align-items:center;min-height:34px;padding:0 12px;border:1px solid var(--line);border-radius:99px;color:var(--soft)}
.kinds span:hover{background:var(--hover)}.kinds :checked+span{border-color:var(--a);color:var(--fg);box-shadow:inset 0 0 0 1px var(--a);font-weight:500}
textarea{all:unset;box-sizing:border-box;direction:inherit;display:block;inline-size:100%;min-block-size:8em;padding:10px 12px;border:1px solid var(--line);border-radius:var(--r);background:var(--bg);color:var(--fg);white-space:pre-wrap;cursor:text;resize:vertical;overflow:auto}
textarea:hover{border-color:var(--soft)}
.ends{display:flex;flex-wrap:wrap-reverse;align-items:center;justify-content:space-between;gap:8px 16px}
.own{display:grid;gap:12px;max-block-size:50vh;overflow:auto}
.own li{display:grid;gap:4px;padding:12px 14px;border:1px solid var(--line);border-radius:var(--r)}
.answer{padding-inline-start:10px;border-inline-start:2px solid var(--a);margin-block-start:4px}.answer p,.own .content{color:var(--fg)}
.icon{inline-size:20px;block-size:20px;flex:none}.big{inline-size:36px;block-size:36px}
svg{fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}.more svg{stroke-width:2.4}
@media (pointer:coarse){.round,.more,.close{min-inline-size:44px;block-size:44px}.line,.button,.acts .button.button,.kinds span,.text,.tabs button{min-height:44px}.text{display:inline-flex;align-items:center}::slotted(*){min-height:44px!important}}
@media (forced-colors:active){.badge,.primary,.avatar{border:1px solid}.dot{forced-color-adjust:none;background:Highlight}.read .dot{background:none}.tabs [aria-pressed=true]{border-color:Highlight}}
@media (prefers-reduced-motion:no-preference){.panel,dialog{animation:come .12s ease-out}@keyframes come{from{opacity:0}}.again{animation:none}}
`

let sheet: CSSStyleSheet | undefined

/** Constructed, so that a policy without `unsafe-inline` has nothing to refuse. */
export function styleSheet(): CSSStyleSheet {
  if (sheet) return sheet
  sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  return sheet
}
