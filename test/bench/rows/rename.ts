import { type Figure, interleave, type Pace } from '../figure.ts'
import { git } from '../git.ts'
import { importSpaces } from '../space.ts'
import { repositoryOf, withStemma } from '../stemma.ts'

const shape = { pages: 1_070, bytes: 4_000, commits: 1 }
const linking = 40

/**
 * Renaming a page that others link to: all pages are scanned, and the linking ones are rewritten.
 */
export const rename = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [shape])
    const at = `${space!.path}/content`
    const edit = (...changes: object[]) => stemma.caller.call('POST', at, { body: { changes } })
    const page = space!.pages[500]!

    for (const { id } of space!.pages.slice(100, 100 + linking)) {
      const { markdown } = await stemma.caller.json('GET', `${at}/page/${id}`)
      const document = { markdown: `${markdown}\nSee [it](/pages/${page.id}).\n` }
      await edit({ operation: 'update_page', page: id, document })
    }

    let times = 0
    const once = async () => {
      times += 1
      return (await edit({ operation: 'update_page', page: page.id, slug: `renamed-${times}` })).ms
    }

    await once()
    const { ms } = await interleave(pace.rounds * 4, { ms: once })
    const names = await git(repositoryOf(stemma, space!.id), [
      'diff-tree',
      '-r',
      '-M',
      '--name-only',
      'main~1',
      'main',
    ])
    const touched = names.toString().trim().split('\n').length

    // The linking pages of the setup, those that link to it anyway, the table of contents, and the
    // page itself.
    if (touched < linking + 2) throw new Error(`A rename touched ${touched} files.`)

    return [
      {
        work: `renaming a page of ${shape.pages} to which others link (${touched} files), p50`,
        value: ms,
        unit: 'ms',
      },
    ]
  })
