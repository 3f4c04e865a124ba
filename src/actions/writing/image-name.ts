import { endingOfImage } from '../../content/image-types.ts'
import { findInvisible } from '../../lib/invisible.ts'
import { normalize } from '../../lib/normalize.ts'

/** The longest name without its ending, in bytes: a number may follow. */
const longestStem = 100

/**
 * Returns the name under which an image is saved: letters, digits, ".", "_" and "-" of the given
 * name, with an ending that fits its type.
 */
export function imageName(given: string, type: string): string {
  const name = normalize('NFC', given.slice(0, 2_000)).split(/[/\\]/).at(-1) ?? ''
  const visible = [...name].filter(sign => findInvisible(sign) === undefined).join('')
  const words = visible.replace(/[^\p{L}\p{N}._]+/gu, '-')
  const ending = endingOfImage(type) ?? 'bin'
  const [, stem = words, last = ''] = /^(.*)\.([A-Za-z0-9]{1,5})$/u.exec(words) ?? []
  const isFitting = last.toLowerCase() === ending || (ending === 'jpg' && /^jpe?g$/i.test(last))
  const clean = cut(stem.replace(/\.+/g, '.')).replace(/^[-._]+|[-._]+$/g, '')
  return `${clean || 'image'}.${isFitting ? last.toLowerCase() : ending}`
}

function cut(stem: string): string {
  let bytes = 0
  let kept = ''
  for (const letter of stem) {
    bytes += Buffer.byteLength(letter)
    if (bytes > longestStem) break
    kept += letter
  }
  return kept
}
