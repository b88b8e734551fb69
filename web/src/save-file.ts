/** Hands a text or a response's body to the browser's own downloads. */
export function saveFile(name: string, text: string | Blob, type: string) {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
