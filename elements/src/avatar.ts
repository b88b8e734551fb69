import { make } from './element.ts'

/** The picture of a user or an organisation; without one, or if it cannot be loaded, the initial. */
export function avatarOf(name: string | undefined, image: string | null | undefined, look = ''): Node {
  const [initial = '?'] = name ?? ''
  const avatar = make('span', {
    class: `avatar ${look}`,
    part: 'picture',
    'aria-hidden': 'true',
    'data-initial': initial,
  })
  if (!image || !/^https:/.test(image)) return avatar
  const picture = make('img', { src: image, alt: '', referrerpolicy: 'no-referrer' })
  picture.addEventListener('error', () => picture.remove())
  avatar.append(picture)
  return avatar
}
