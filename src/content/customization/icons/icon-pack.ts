import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/**
 * The packed icons, and where each of their lines starts: 1.5 MB beside the heap, for as long as
 * the process runs.
 */
type Pack = { bytes: Buffer; starts: Uint32Array }

let pack: Pack | undefined

/**
 * Returns an icon by its weight and name, such as "solid/rocket": its view box, and the path that
 * draws it. Undefined for an unknown name. The first call reads the file.
 */
export function findIcon(key: string): { viewBox: string; path: string } | undefined {
  pack ??= readPack()
  const [viewBox = '', path] = fieldsOf(pack, Buffer.from(key)) ?? []
  if (viewBox.startsWith('=')) return findIcon(viewBox.slice(1))
  return path === undefined ? undefined : { viewBox, path }
}

function readPack(): Pack {
  const bytes = brotliDecompressSync(readFileSync(new URL('./icons.br', import.meta.url)))
  const starts = [0]
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1)
  return { bytes, starts: Uint32Array.from([...starts, bytes.length + 1]) }
}

/**
 * Returns the fields behind a name. The lines are sorted by their bytes: those of the name decide,
 * and the tab behind it.
 */
function fieldsOf({ bytes, starts }: Pack, name: Buffer): string[] | undefined {
  const key = Buffer.concat([name, Buffer.from('\t')])
  let [low, high] = [0, starts.length - 2]
  while (low <= high) {
    const middle = (low + high) >> 1
    const [start = 0, next = 0] = [starts[middle], starts[middle + 1]]
    const order = bytes.compare(key, 0, key.length, start, Math.min(start + key.length, next - 1))
    if (order === 0) return bytes.toString('latin1', start + key.length, next - 1).split('\t')
    if (order < 0) low = middle + 1
    else high = middle - 1
  }

  return undefined
}
