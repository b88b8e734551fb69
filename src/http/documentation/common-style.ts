interface Shades {
  readonly accent: string
  readonly soft: string
  readonly on: string
}

export interface Palette {
  readonly light: Shades
  readonly dark: Shades
}

const OWN: Palette = {
  light: { accent: '#1d5c4c', soft: '#e2eee8', on: '#ffffff' },
  dark: { accent: '#86cfb4', soft: '#1c322a', on: '#0c211a' },
}

/** What the pages that the service itself writes have in common, in the installation's colours. */
export function commonStyle(palette: Palette | null): string {
  const { light, dark } = palette ?? OWN
  return `:root {
  color-scheme: light dark;
  --accent: light-dark(${light.accent}, ${dark.accent});
  --accent-soft: light-dark(${light.soft}, ${dark.soft});
  --on-accent: light-dark(${light.on}, ${dark.on});
${COMMON}`
}

export const MONOSPACE = '"SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace'

const COMMON = `  --ground: light-dark(#f6f5f1, #121412);
  --surface: light-dark(#fffefc, #191c19);
  --sunken: light-dark(#efede7, #232723);
  --line: light-dark(#e5e2d9, #2b302b);
  --line-strong: light-dark(#c9c5b8, #454c45);
  --ink: light-dark(#1b1c19, #ecebe4);
  --ink-soft: light-dark(#5f5e56, #a5a79d);
  font: 15px/1.55 system-ui, sans-serif;
  scroll-padding-top: 5rem;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--ink); }
a { color: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.sr-only:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: fixed; left: 0.5rem; top: 0.5rem; z-index: 3; padding: 0.5rem 0.75rem; background: var(--surface); }
header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.5rem; padding: 0.6rem max(1.25rem, calc((100% - 92rem) / 2 + 1.25rem)); border-bottom: 1px solid var(--line); background: var(--surface); }
.brand { display: flex; align-items: center; gap: 0.6rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.brand a { display: inline-flex; align-items: center; min-height: 2.25rem; text-decoration: none; }
@media (min-width: 48rem) { header > .brand { flex: 0 0 13.75rem; } }
.brand img { height: 1.75rem; max-width: 9rem; }
.on-dark, :root[data-theme="dark"] .on-light { display: none; }
:root[data-theme="dark"] .on-dark { display: inline; }
@media (prefers-color-scheme: dark) { :root:not([data-theme]) .on-light { display: none; } :root:not([data-theme]) .on-dark { display: inline; } }
.search { display: flex; align-items: center; gap: 0.6rem; flex: 1 1 14rem; max-width: 30rem; }
.search label { font-size: 0.85rem; color: var(--ink-soft); }
.search span { white-space: nowrap; font-size: 0.85rem; color: var(--ink-soft); }
input[type="search"], textarea { width: 100%; min-height: 2.25rem; padding: 0.35rem 0.75rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--surface); color: inherit; font: inherit; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 92rem; margin: 0 auto; }
nav { position: sticky; top: 3.6rem; align-self: start; max-height: calc(100vh - 3.6rem); overflow-y: auto; padding: 1.25rem 0.75rem 2rem 1.25rem; font-size: 0.87rem; }
main { min-width: 0; padding: 2rem 1.5rem 6rem; }
p { margin: 0.4rem 0; }
code { font: 0.85em ${MONOSPACE}; overflow-wrap: anywhere; }
`
