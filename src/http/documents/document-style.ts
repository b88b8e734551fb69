import { commonStyle, MONOSPACE, type Palette } from '../documentation/common-style.ts'

/** The style sheet of the documents. */
export const documentStyle = (palette: Palette | null) => `${commonStyle(palette)}${OF_DOCUMENTS}`

const OF_DOCUMENTS = `header a { text-decoration: none; }
header > a { display: inline-flex; align-items: center; min-height: 2.25rem; color: var(--ink-soft); }
header > a:hover { color: var(--ink); }
header .search { margin-left: auto; }
.search button { min-height: 2.25rem; padding: 0 1rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--surface); color: inherit; font: inherit; font-size: 0.9rem; font-weight: 500; cursor: pointer; }
.columns { grid-template-columns: 15rem minmax(0, 1fr); }
nav p, .toc p { margin: 1.1rem 0 0.2rem; padding: 0 0.6rem; color: var(--ink-soft); font-size: 0.8rem; font-weight: 600; }
nav p:first-child { margin-top: 0; }
nav ul, .toc ul, .cards ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 0.25rem 0.6rem; border-radius: 6px; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { background: var(--sunken); }
nav a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 500; }
.narrow { display: none; }
.document { display: grid; grid-template-columns: minmax(0, 46rem) 13rem; justify-content: space-between; align-items: start; gap: 0 2.5rem; padding-left: 2.5rem; }
.document > * { grid-column: 1; }
.document > nav.toc { grid-column: 2; grid-row: 1 / span 2; top: 5rem; max-height: calc(100vh - 6rem); padding: 0 0 2rem; border-left: 1px solid var(--line); font-size: 0.82rem; }
.toc a { color: var(--ink-soft); }
h1 { margin: 0 0 1rem; font-size: 1.95rem; line-height: 1.2; letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { margin: 2.6rem 0 0.8rem; font-size: 1.35rem; line-height: 1.3; letter-spacing: -0.01em; }
h3 { margin: 2rem 0 0.6rem; font-size: 1.08rem; line-height: 1.35; }
:is(h2, h3, h4) a { color: inherit; text-decoration: none; }
:is(h2, h3, h4) a:hover { text-decoration: underline; text-decoration-color: var(--line-strong); }
:target { scroll-margin-top: 5rem; }
article :is(p, li) { line-height: 1.65; overflow-wrap: break-word; }
article p { margin: 0.85rem 0; }
article :is(p, li, td) a, .found a { color: var(--accent); text-decoration-color: color-mix(in srgb, currentColor 40%, transparent); text-underline-offset: 0.15em; }
article :is(p, li, td) a:hover { text-decoration-color: currentColor; }
article :is(ul, ol) { padding-left: 1.4rem; }
article li { margin: 0.35rem 0; }
article li::marker { color: var(--ink-soft); }
article :not(pre) > code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--sunken); }
pre { margin: 1rem 0; padding: 0.9rem 1.1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); overflow-x: auto; font: 0.83rem/1.6 ${MONOSPACE}; tab-size: 2; }
pre code { font: inherit; overflow-wrap: normal; }
.table { margin: 1rem 0; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.87rem; line-height: 1.5; }
th { text-align: left; color: var(--ink-soft); font-weight: 600; }
th, td { min-width: 6.5rem; padding: 0.5rem 0.9rem 0.5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { min-width: 4rem; text-align: right; font-variant-numeric: tabular-nums; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line-strong); color: var(--ink-soft); }
.others { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.others a { color: var(--accent); font-weight: 500; text-decoration: none; }
.others a[rel="next"] { margin-left: auto; text-align: right; }
.others span { display: block; color: var(--ink-soft); font-size: 0.8rem; font-weight: 400; }
.cards, .found { grid-column: 1 / -1; }
.cards { columns: 17rem 3; column-gap: 2.5rem; }
.cards section { break-inside: avoid; padding-bottom: 1rem; }
.cards h2 { margin: 0 0 0.5rem; font-size: 1.05rem; }
.cards li { margin: 0.6rem 0; }
.cards a { color: var(--accent); font-weight: 500; text-decoration: none; }
.cards a:hover { text-decoration: underline; }
.cards li p { margin: 0.1rem 0 0; color: var(--ink-soft); font-size: 0.87rem; }
.found { max-width: 46rem; }
.found ol { padding: 0; list-style: none; }
.found li { margin: 0 0 1.4rem; overflow-wrap: anywhere; }
.found li a { font-weight: 500; }
.found li span { color: var(--ink-soft); font-size: 0.85rem; }
.found li p { margin: 0.15rem 0 0; color: var(--ink-soft); font-size: 0.9rem; }
mark { border-radius: 3px; background: var(--accent-soft); color: var(--ink); }
summary { cursor: pointer; }
@media (max-width: 80rem) {
  .document { grid-template-columns: minmax(0, 46rem); }
  .document > nav.toc { display: none; }
  .toc.narrow { display: block; margin-bottom: 1.25rem; padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
  .toc.narrow a { display: block; padding: 0.25rem 0; }
}
@media (max-width: 48rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .columns > .wide { display: none; }
  .columns > .narrow { display: block; padding: 0.75rem 1rem; border-bottom: 1px solid var(--line); background: var(--surface); }
  header { position: static; padding: 0.6rem 1rem; }
  header .search { flex-basis: 100%; order: 1; }
  nav { position: static; max-height: none; padding: 0.75rem 0 0; }
  .document { padding: 1.25rem 1rem 4rem; }
  h1 { font-size: 1.6rem; }
  h2 { margin-top: 2.1rem; font-size: 1.22rem; }
  :root { scroll-padding-top: 1rem; }
}
@media (pointer: coarse) {
  nav a, .toc.narrow a, .brand a, header > a, .cards a, .others a { display: flex; align-items: center; min-height: 44px; }
  .others a { flex-direction: column; align-items: start; }
  .others a[rel="next"] { align-items: end; }
  summary { min-height: 44px; align-content: center; }
  input[type="search"], .search button { min-height: 44px; }
}
`
