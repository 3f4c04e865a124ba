import type { Figure } from '../figure.ts'
import { type Resident, residentOf } from '../resident.ts'
import { importSpaces, type Space } from '../space.ts'
import { type Stemma, withStemma } from '../stemma.ts'

const big = [
  { pages: 10_000, bytes: 1_500, commits: 1 },
  { pages: 2_000, bytes: 7_900, commits: 5_000 },
  { pages: 1_070, bytes: 4_000, commits: 1 },
]
const packed = { pages: 20, bytes: 4_000, commits: 1, megabytes: 250 }

/**
 * The memory of the server's process after it has served everything of big spaces, and after
 * reading a big pack.
 */
export async function memory(): Promise<Figure[]> {
  const served = await withStemma(async stemma => {
    const spaces = await importSpaces(stemma, big)
    // The memory used by the imports does not count.
    await stemma.restart()
    for (const space of spaces) await readEverything(stemma, space)
    return { spaces, ...residentOf(stemma) }
  })

  const fromPack = await withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [packed])
    const imported = residentOf(stemma)
    await stemma.restart()
    await readEverything(stemma, space!)
    await readFiles(stemma, space!)
    return { imported, ...residentOf(stemma) }
  })
  const pages = served.spaces.reduce((sum, space) => sum + space.pages.length, 0)
  const target = { of: 'figure', is: 'under', value: 250 } as const
  const notes = ({ peak, children }: Resident) =>
    `at most ${peak.toFixed(0)} MB; its git processes ${children.toFixed(0)} MB, mapped files included`

  return [
    {
      work: `memory after serving each of ${pages} pages of ${served.spaces.length} spaces`,
      value: served.own,
      unit: 'MB',
      target,
      note: notes(served),
    },
    {
      work: `memory after reading a space with a pack of ${packed.megabytes} MB`,
      value: fromPack.own,
      unit: 'MB',
      target,
      note: `${notes(fromPack)}; after the import ${fromPack.imported.own.toFixed(0)} MB`,
    },
  ]
}

async function readEverything({ caller }: Stemma, { path, pages }: Space): Promise<void> {
  await caller.call('GET', `${path}/content/pages`)
  for (const { id } of pages) {
    const { bytes } = await caller.call('GET', `${path}/content/page/${id}`)
    if (bytes.length < 1_000) throw new Error(`The page ${id} has only ${bytes.length} bytes.`)
  }
}

/** Reads the list of files, and the bytes of some of them. */
async function readFiles({ caller, url }: Stemma, { path }: Space): Promise<void> {
  const { items } = await caller.json('GET', `${path}/content/files?limit=1000`)
  if (items.length < packed.megabytes) throw new Error(`The list has ${items.length} files.`)
  for (const { downloadURL } of items.slice(0, 50)) {
    const { bytes } = await caller.call('GET', String(downloadURL).replace(url, ''))
    if (bytes.length !== 1 << 20) throw new Error(`A file has ${bytes.length} bytes.`)
  }
}
