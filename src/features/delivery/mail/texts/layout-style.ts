import { OWN_PALETTE, type Palette } from '../../../ground/settings/brand/accent.ts'

/** Goes into the head of a letter, because mail programs load no style sheets. */
export function letterStyle(palette: Palette | null): string {
  const { light, dark } = palette ?? OWN_PALETTE
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 32px 16px; background: #f6f5f1; color: #1b1c19;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, "PingFang SC", "Microsoft YaHei", sans-serif; }
.letter { max-width: 480px; margin: 0 auto; padding: 32px; background: #fffefc; border: 1px solid #e5e2d9;
  border-radius: 12px; overflow-wrap: anywhere; }
.name { margin: 0 0 28px; font-weight: 600; font-size: 17px; }
.name img { height: 32px; max-width: 160px; margin-right: 10px; vertical-align: middle; object-fit: contain;
  filter: drop-shadow(0 0 0.5px #5f5e56); }
h1 { margin: 0 0 12px; font-size: 22px; line-height: 1.3; font-weight: 600; }
p { margin: 0 0 16px; }
.code { margin: 24px 0; padding: 16px; border-radius: 8px; background: ${light.soft}; text-align: center;
  font: 600 32px/1.2 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: 6px;
  -webkit-user-select: all; user-select: all; }
.link { margin: 24px 0; }
.link a { display: block; padding: 12px 16px; border-radius: 8px; background: ${light.accent}; color: ${light.on};
  font-weight: 600; text-align: center; text-decoration: none; }
.closing { margin: 20px 0 0; font-size: 14px; color: #5f5e56; }
.foot { max-width: 480px; margin: 20px auto 0; font-size: 13px; color: #5f5e56; text-align: center; overflow-wrap: anywhere; }
.foot a, .closing a { color: inherit; }
@media (prefers-color-scheme: dark) {
  body { background: #121412; color: #ecebe4; }
  .letter { background: #191c19; border-color: #2b302b; }
  .code { background: ${dark.soft}; }
  .link a { background: ${dark.accent}; color: ${dark.on}; }
  .name img { filter: drop-shadow(0 0 0.5px #ecebe4) drop-shadow(0 0 0.5px #ecebe4) drop-shadow(0 0 0.5px #ecebe4); }
  .closing, .foot { color: #a5a79d; }
}
`
}
