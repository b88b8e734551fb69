/** PNG begins with these letters in base64. */
export function pictureUrl(base64: string): string {
  return `data:image/${base64.startsWith('iVBORw0K') ? 'png' : 'svg+xml'};base64,${base64}`
}

export async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** True if this browser can draw it as either type, whatever the file is called. */
export function canBeShown(base64: string): Promise<boolean> {
  const picture = new Image()
  return new Promise((resolve) => {
    picture.onload = () => resolve(true)
    picture.onerror = () => resolve(false)
    picture.src = pictureUrl(base64)
  })
}
