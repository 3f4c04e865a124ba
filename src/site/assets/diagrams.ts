import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the frames that draw diagrams; compressed with brotli where the build did so. */
type DiagramAsset = { type: string; bytes: Buffer; brotli: Buffer | undefined }

/** The folder of the built files, relative to the program's bundle. */
const built = (globalThis as { stemmaSite?: string }).stemmaSite
const folder = built && fileURLToPath(new URL(built, import.meta.url))

/**
 * The part of the names of all files: of the document that frames open, of its script, and of the
 * parts of the script.
 */
const begins = 'diagram'

let made: Promise<ReadonlyMap<string, Buffer>> | undefined
let kept: Promise<string | undefined> | undefined

/**
 * Returns the name of the document that frames open; undefined where diagrams cannot be drawn.
 * Bundles nothing.
 */
export function diagramFrame(): Promise<string | undefined> {
  kept ??= findFrame()
  return kept
}

async function findFrame(): Promise<string | undefined> {
  if (folder) {
    const list = join(folder, 'diagrams.json')
    return existsSync(list)
      ? (JSON.parse(await readFile(list, 'utf8')) as { frame: string }).frame
      : undefined
  }

  const { diagramsVersion, diagramSource } = await import('./build-diagrams.ts')
  const version = diagramsVersion()
  return version && frameName(version, diagramSource())
}

/**
 * Returns the name of the document of frames for a version of the package and the text of their
 * script.
 */
export const frameName = (version: string, source: string): string =>
  `${begins}.${createHash('sha256').update(`${version} ${source}`).digest('hex').slice(0, 12)}.html`

/** Returns the document that frames open. It loads one script, and shows nothing of its own. */
const frameDocument = (frame: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Diagram</title><style>body{margin:0}svg{display:block;margin:auto;max-width:100%}</style><script type="module" src="${scriptOf(frame)}"></script><body></body></html>`

const scriptOf = (frame: string): string => frame.replace(/html$/, 'js')

/** Returns whether a name may be that of a file of the frames. */
export const isOfDiagrams = (name: string): boolean =>
  /^diagram[.-][\w.-]{1,100}\.(?:html|js)$/.test(name)

/**
 * Returns a file of the frames; undefined if there is none. Sources are bundled at the first call.
 */
export async function diagramAsset(name: string): Promise<DiagramAsset | undefined> {
  const frame = await diagramFrame()
  if (frame === undefined) return undefined

  if (name === frame)
    return {
      type: 'text/html; charset=utf-8',
      bytes: Buffer.from(frameDocument(frame)),
      brotli: undefined,
    }

  const type = 'text/javascript; charset=utf-8'

  if (!folder) {
    const bytes = (await bundled(frame)).get(name)
    return bytes && { type, bytes, brotli: undefined }
  }

  const path = join(folder, name)
  if (!existsSync(path)) return undefined

  const [bytes, brotli] = await Promise.all([readFile(path), readFile(`${path}.br`)])

  return { type, bytes, brotli }
}

function bundled(frame: string): Promise<ReadonlyMap<string, Buffer>> {
  made ??= bundle(frame)
  made.catch(() => {
    made = undefined
  })
  return made
}

async function bundle(frame: string): Promise<ReadonlyMap<string, Buffer>> {
  const { buildDiagrams } = await import('./build-diagrams.ts')
  const files = await buildDiagrams(scriptOf(frame).replace(/\.js$/, ''))
  return new Map(files.map(({ name, bytes }) => [name, bytes]))
}
