import { existsSync } from 'node:fs'
import { constants, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { summaryFor } from '../../content/edit/places.ts'
import { isMarkdown } from '../../content/files.ts'
import { findingSentences } from '../../content/findings/count.ts'
import { treeFindings } from '../../content/findings/pages.ts'
import { escapeLine } from '../../content/markdown/plain-text.ts'
import { navigationPaths } from '../../content/navigation/navigation.ts'
import { encode } from '../../content/text/bytes.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import {
  type ContentConfig,
  configPath,
  isToolSettings,
  readConfig,
} from '../../content/tree/config.ts'
import { withNavigation } from '../../content/tree/navigate.ts'
import { atOnce } from '../../lib/slices.ts'
import { hasChanges } from '../clone/list-work-tree.ts'
import { Failure } from '../output/failure.ts'
import { openSource } from './read-source.ts'
import { type Contents, categoriesOf, filesOf, navigationIn, treeOf } from './read-tree.ts'

/** What a rewrite wrote, by path in the folder, and what it did not take, in sentences. */
type Rewrite = { written: string[]; findings: string[] }

/**
 * Writes what the settings of another tool say about a folder into the folder, in the format of
 * content: `SUMMARY.md`, `.gitbook.yaml` with redirects from former addresses, a page for each
 * folder that has none, and the files that the tool serves from beside the folder. No file that is
 * there is changed. Throws Failure before anything is written.
 */
export async function rewriteSource(
  folder: string,
  from: string,
  isForced: boolean,
): Promise<Rewrite> {
  const { files, project } = await openSource(folder, from).read()
  if (files.has('SUMMARY.md') || files.has(configPath))
    throw new Failure(
      `${folder} has a SUMMARY.md or .gitbook.yaml already: it says which pages there are.`,
    )
  if (!isForced && (await hasChanges(folder)))
    throw new Failure(
      `${folder} has changes that are not committed. Commit them first, so that you see what was written, or use --force.`,
    )

  const contents: Contents = new Map()
  for (const [path, { file }] of files)
    contents.set(path, isRead(path) ? await readFile(file) : new Uint8Array())

  const before = treeOf(contents, toolConfig(contents, project.settings))
  const made = filesFor(before, contents)

  const beside = project.beside.filter(({ path }) => path.endsWith('/'))
  const served = [...files].filter(([path]) => beside.some(each => path.startsWith(each.path)))
  refuseExisting(folder, [...made.keys(), ...served.map(([path]) => path)])

  for (const [path, text] of made) await write(join(folder, path), file => writeNew(file, text))
  for (const [path, { file }] of served)
    await write(join(folder, path), to => copyFile(file, to, constants.COPYFILE_EXCL))

  return {
    written: [...made.keys(), ...served.map(([path]) => path)],
    findings: [...new Set([...project.findings, ...findingSentences(treeFindings(before))])],
  }
}

/** Throws Failure if a file is there already: also one that Git ignores, or with other letters. */
function refuseExisting(folder: string, paths: readonly string[]): void {
  const there = paths.filter(path => existsSync(join(folder, path)))
  if (there.length > 0)
    throw new Failure(
      `${folder} has files that would be overwritten: ${there.slice(0, 5).join(', ')}. Move them first.`,
    )
}

const isRead = (path: string): boolean => isMarkdown(path) || isToolSettings(path)

const writeNew = (file: string, text: string): Promise<void> =>
  writeFile(file, text, { flag: 'wx' })

async function write(file: string, run: (file: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await run(file)
}

/** Returns the settings of a folder as another tool has them. */
function toolConfig(contents: Contents, settings: readonly string[]): ContentConfig {
  const { config: own } = readConfig(undefined)
  const path = settings.find(name => navigationPaths.includes(name))
  const config =
    path === undefined
      ? own
      : atOnce(withNavigation(filesOf(contents), own, navigationIn(contents, path)))
  const categories = config.navigation?.groups ? new Map() : categoriesOf(contents, config.root)
  return { ...config, settings, ...(categories.size > 0 && { categories }) }
}

/** Returns the files to write, by path: the pages of folders, the list of pages and the settings. */
function filesFor(before: ContentTree, contents: Contents): Map<string, string> {
  const { root, summary } = before.config
  const made = new Map<string, string>()
  const list = summaryFor(before, path => contents.has(path))
  const settings = `root: ${/^[\w./-]*$/.test(root) ? `./${root}` : JSON.stringify(`./${root}`)}\nstructure:\n  summary: SUMMARY.md\n`
  const listed = new Map([...contents, [summary, encode(list)]])

  for (const { folder, title } of treeOf(listed, before.config).pageById.values())
    if (folder !== undefined && !listed.has(`${folder}README.md`))
      made.set(`${folder}README.md`, `# ${escapeLine(title)}\n`)

  made.set(summary, list)
  const after = new Map([...contents].filter(([path]) => !isToolSettings(path)))
  for (const [path, text] of made) after.set(path, encode(text))
  const { config } = readConfig(encode(settings))
  made.set(configPath, settings + redirects(before, treeOf(after, config)))

  return made
}

/** Returns the redirects from the addresses that pages have no longer. */
function redirects(before: ContentTree, after: ContentTree): string {
  const lines: string[] = []
  for (const [file, page] of before.pageByFile) {
    const now = after.pageByFile.get(file)
    if (!now || now.path === page.path || after.pageByPath.has(page.path)) continue
    const to = file.slice(after.config.root.length)
    lines.push(`  ${JSON.stringify(page.path)}: ${JSON.stringify(to)}\n`)
  }
  return lines.length === 0 ? '' : `redirects:\n${lines.join('')}`
}
