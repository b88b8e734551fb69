import { commonStyle, MONOSPACE, type Palette } from './common-style.ts'

/** The style sheet of `/api/docs`. */
export const docsStyle = (palette: Palette | null) => `${commonStyle(palette)}${OF_ROUTES}`

const OF_ROUTES = `textarea { font: 0.8rem/1.5 ${MONOSPACE}; resize: vertical; }
.languages { display: flex; margin: 0; padding: 0.2rem; border: 0; border-radius: 8px; background: var(--sunken); }
.languages legend { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
.languages label { position: relative; padding: 0.25rem 0.7rem; border-radius: 6px; font-size: 0.85rem; font-weight: 500; color: var(--ink-soft); cursor: pointer; }
.languages label:has(:checked) { background: var(--surface); color: var(--accent); }
.languages label:has(:focus-visible) { outline: 2px solid var(--accent); }
.languages input { position: absolute; inset: 0; margin: 0; appearance: none; cursor: pointer; outline: none; }
nav summary { padding: 0.25rem 0.5rem; border-radius: 6px; cursor: pointer; }
nav details[open] > summary { font-weight: 600; color: var(--accent); }
nav summary:hover { background: var(--sunken); }
nav summary span { font-weight: 400; color: var(--ink-soft); }
nav ul { margin: 0 0 0.5rem; padding: 0; list-style: none; }
nav a { display: block; padding: 0.2rem 0.5rem 0.2rem 1.4rem; border-radius: 6px; color: var(--ink-soft); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { background: var(--sunken); color: var(--ink); }
h1 { margin: 0; font-size: 1.65rem; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.2rem; }
article { margin-bottom: 1rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
article:target { border-color: var(--accent); }
h3 { margin: 0; font: 600 0.95rem/1.4 ${MONOSPACE}; overflow-wrap: anywhere; }
h3 a { text-decoration: none; }
h3 span { display: inline-block; margin-right: 0.4rem; padding: 0.1rem 0.45rem; border-radius: 6px; background: var(--accent-soft); color: var(--accent); font-size: 0.78rem; }
h4, .sample summary { font-weight: 600; margin: 1.1rem 0 0.35rem; font-size: 0.82rem; color: var(--ink-soft); }
.sample { margin-top: 1.1rem; }
.sample summary { margin: 0 0 0.35rem; cursor: pointer; }
em { font-style: normal; color: var(--ink-soft); }
.sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 2rem; }
dl { margin: 0; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: 0.35rem 0; border-bottom: 1px solid var(--line); font-size: 0.87rem; }
dt span, .nothing { color: var(--ink-soft); font-size: 0.8rem; }
dd { margin: 0; min-width: 0; color: var(--ink-soft); overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); font: 0.78rem/1.55 ${MONOSPACE}; white-space: pre-wrap; overflow-wrap: anywhere; }
.typescript, .python { display: none; }
:root:has(#in-typescript:checked) :is(.curl, .python), :root:has(#in-python:checked) :is(.curl, .typescript) { display: none; }
:root:has(#in-typescript:checked) .typescript, :root:has(#in-python:checked) .python { display: block; }
button { min-height: 2.25rem; margin-top: 0.75rem; padding: 0 1rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--surface); color: inherit; font: inherit; font-size: 0.9rem; font-weight: 500; cursor: pointer; }
.try, form button:not([type]) { border-color: transparent; background: var(--accent); color: var(--on-accent); }
form { margin-top: 1rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
form label { display: block; font-size: 0.85rem; font-weight: 500; }
form p { font-size: 0.85rem; color: var(--ink-soft); }
form button + button { margin-left: 0.5rem; }
form div { margin-top: 0.75rem; }
form pre { margin-top: 0.4rem; }
@media (max-width: 64rem) { .sides { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 48rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  header { position: static; }
  nav { top: 0; z-index: 1; display: flex; min-width: 0; overflow-x: auto; padding: 0.4rem 1rem; border-bottom: 1px solid var(--line); background: var(--ground); }
  nav summary { list-style: none; white-space: nowrap; }
  nav summary::-webkit-details-marker, nav ul { display: none; }
  nav details[open] > summary { background: var(--accent-soft); }
  main { padding: 1.25rem 1rem 4rem; }
  article { padding: 1rem; }
}
@media (pointer: coarse) {
  nav summary, nav a, .languages label, .brand a, h3 a { display: flex; align-items: center; min-height: 44px; }
  nav summary { display: list-item; align-content: center; }
  input[type="search"], button { min-height: 44px; }
}
`
