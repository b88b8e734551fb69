import type { LetterHead } from './layout.ts'

/** Goes into the head of a letter, because mail programs load no style sheets. */
export function letterStyle({ colours, font, radius }: Pick<LetterHead, 'colours' | 'font' | 'radius'>): string {
  const { palette, grounds } = colours
  const { light, dark } = palette
  const onLight = grounds.light
  const onDark = grounds.dark
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 32px 16px; background: ${onLight.ground}; color: ${onLight.ink};
  font: 16px/1.6 ${font}; }
.letter { max-width: 480px; margin: 0 auto; padding: 32px; background: ${onLight.surface}; border: 1px solid ${onLight.line};
  border-radius: ${radius * 1.5}px; overflow-wrap: anywhere; }
.name { margin: 0 0 28px; font-weight: 600; font-size: 17px; }
.name img { height: 32px; max-width: 160px; margin-right: 10px; vertical-align: middle; object-fit: contain;
  filter: drop-shadow(0 0 0.5px ${onLight['ink-soft']}); }
h1 { margin: 0 0 12px; font-size: 22px; line-height: 1.3; font-weight: 600; }
p { margin: 0 0 16px; }
.code { margin: 24px 0; padding: 16px; border-radius: ${radius}px; background: ${light.soft}; text-align: center;
  font: 600 32px/1.2 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: 6px;
  -webkit-user-select: all; user-select: all; }
.link { margin: 24px 0; }
.link a { display: block; padding: 12px 16px; border-radius: ${radius}px; background: ${light.accent}; color: ${light.on};
  font-weight: 600; text-align: center; text-decoration: none; }
.closing { margin: 20px 0 0; font-size: 14px; color: ${onLight['ink-soft']}; }
.foot { max-width: 480px; margin: 20px auto 0; font-size: 13px; color: ${onLight['ink-soft']}; text-align: center; overflow-wrap: anywhere; }
.foot a, .closing a { color: inherit; }
@media (prefers-color-scheme: dark) {
  body { background: ${onDark.ground}; color: ${onDark.ink}; }
  .letter { background: ${onDark.surface}; border-color: ${onDark.line}; }
  .code { background: ${dark.soft}; }
  .link a { background: ${dark.accent}; color: ${dark.on}; }
  .name img { filter: drop-shadow(0 0 0.5px ${onDark.ink}) drop-shadow(0 0 0.5px ${onDark.ink}) drop-shadow(0 0 0.5px ${onDark.ink}); }
  .closing, .foot { color: ${onDark['ink-soft']}; }
}
`
}
