import qrcode from 'qrcode-generator'

/**
 * Drawn in the browser, so that the secret in it reaches no other server. Dark on light in every theme and with
 * forced colours, with the quiet zone that scanners need.
 */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const rows = Array.from({ length: count }, (_, row) => row)
  const path = rows
    .flatMap((row) => rows.filter((column) => code.isDark(row, column)).map((column) => `M${column} ${row}h1v1h-1z`))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-4 -4 ${count + 8} ${count + 8}`}
      className="w-56 max-w-full rounded-md border border-line"
      shapeRendering="crispEdges"
    >
      <rect x={-4} y={-4} width={count + 8} height={count + 8} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
