import { baseName } from '../files.ts'
import { decode } from '../text/bytes.ts'
import { convertPages } from './convert-pages.ts'
import { Findings, type ImportFinding, Unreadable } from './finding.ts'
import type { KeptBytes, ReadFile } from './folder-file.ts'
import { type ImportPlan, planImport } from './plan.ts'
import { readWord } from './read-word.ts'
import { readZip } from './read-zip.ts'
import { sortFile } from './sort-file.ts'
import { whyNoPage } from './why-no-page.ts'
import { type Budget, type ImportLimits, spend } from './zip-file.ts'

/** A file that was sent: what it was called there, and its bytes. */
type SentFile = { name: string; read: () => Buffer }

type Converting = {
  limits: ImportLimits
  /** What the references of the batch begin with. */
  prefix: string
  /** The id of the page below which the pages go; null: at the top level. */
  into: string | null
  /** Stores the bytes of a file that becomes one of the space. */
  keep: (bytes: Buffer) => KeptBytes
}

/** The changes of an import; or why it cannot be made, as a sentence, and what was found until then. */
export type Converted = ImportPlan | { refused: string; findings: ImportFinding[] }

/** Returns the changes that import these files. */
export async function convertImport(
  sent: readonly SentFile[],
  { limits, prefix, into, keep }: Converting,
): Promise<Converted> {
  const findings = new Findings()
  const budget: Budget = { left: limits.bytes }
  const files: ReadFile[] = []
  const taken = new Set<string>()

  const take = async (path: string, bytes: Buffer) => {
    const file = await readFile(path, bytes, { limits, budget, findings, keep })
    if (file) files.push(file)
  }

  try {
    for (const { name, read } of sent) {
      const path = freeName(taken, name)
      const bytes = read()
      if (!/\.zip$/i.test(path)) {
        spend(budget, limits, path, bytes.length)
        const sort = sortFile(path)
        if (sort.as === 'nothing') findings.add(path, sort.why)
        else await take(path, bytes)
        continue
      }
      // Several zips are folders beside each other.
      const folder = sent.length === 1 ? '' : `${path.replace(/\.zip$/i, '')}/`
      for await (const entry of readZip(bytes, path, { limits, budget, findings }))
        await take(folder + entry.path, entry.bytes)
    }

    const pages = convertPages(withoutTop(files), { findings, limits, budget, keep })
    return planImport(pages.files, { findings, prefix, into, renamed: pages.renamed })
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message, findings: findings.list() }
    throw error
  }
}

/** Returns the name of a file that was sent, without folders and unlike those before it. */
function freeName(taken: Set<string>, name: string): string {
  const given = baseName(name.replace(/\\/g, '/')) || 'file'
  const dot = given.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [given.slice(0, dot), given.slice(dot)] : [given, '']
  let free = given
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${stem}-${n}${ending}`
  taken.add(free.toLowerCase())
  return free
}

type Reading = Pick<Converting, 'limits' | 'keep'> & { budget: Budget; findings: Findings }

async function readFile(
  path: string,
  bytes: Buffer,
  reading: Reading,
): Promise<ReadFile | undefined> {
  const { findings, keep } = reading
  const { as } = sortFile(path)
  if (as === 'word') return readWord(path, bytes, reading)
  if (as === 'file') {
    if (bytes.length > 0) return { path, kept: keep(bytes) }
    findings.add(path, 'The file is empty. It was left out.')
    return undefined
  }
  if (as === 'html') {
    const html = htmlOf(bytes)
    if (html !== undefined) return { path, html }
    findings.add(path, 'The page is in an encoding that it does not name. It was left out.')
    return undefined
  }
  const { text, exact } = decode(bytes)
  const why = exact ? whyNoPage(text) : 'The file is not text in UTF-8.'
  if (why === undefined) return { path, text: text.replace(/^\ufeff/, '') }
  findings.add(path, `${why} It was left out.`)
  return undefined
}

/** The name of an encoding in a page in HTML. */
const charset = /charset\s*=\s*["']?([\w.:-]+)/i

/** Returns the text of a page in HTML, in the encoding that it names; undefined if it has another one. */
function htmlOf(bytes: Buffer): string | undefined {
  const { text, exact } = decode(bytes)
  if (exact) return text
  try {
    const label = charset.exec(bytes.toString('latin1', 0, 2048))?.[1] ?? ''
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns files without the one folder that contains them all. */
function withoutTop(files: readonly ReadFile[]): ReadFile[] {
  const [top] = /^[^/.][^/]*\//.exec(files[0]?.path ?? '') ?? []
  if (top === undefined || !files.every(({ path }) => path.startsWith(top))) return [...files]
  return files.map(file => ({ ...file, path: file.path.slice(top.length) }))
}
