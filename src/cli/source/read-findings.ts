import { readFile } from 'node:fs/promises'
import { blobId } from '../../content/edit/draft.ts'
import { isMarkdown } from '../../content/files.ts'
import { findingSteps } from '../../content/findings/find.ts'
import { type Finding, finding } from '../../content/findings/kinds.ts'
import { isPointer, longestPointer } from '../../content/findings/pointer.ts'
import { type LinkFacts, linkFactSteps } from '../../content/links/facts.ts'
import { linkSources, revisionLinkSteps } from '../../content/links/list.ts'
import { isNamedSettings, navigationPaths } from '../../content/navigation/navigation.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import {
  type ContentConfig,
  configPath,
  isToolSettings,
  readConfig,
  spelledAs,
} from '../../content/tree/config.ts'
import { withNavigation } from '../../content/tree/navigate.ts'
import { readVariables, variablesPath } from '../../content/tree/variables.ts'
import { atOnce } from '../../lib/slices.ts'
import { findProject } from './find-project.ts'
import { listFiles } from './list-files.ts'
import { type Contents, categoriesOf, filesOf, navigationIn, treeOf } from './read-tree.ts'

/**
 * Returns the findings of a folder: what is not taken of it and from beside it, then those that a
 * server has after the folder was published. Throws Failure for a folder that cannot be published.
 */
export async function readFindings(folder: string): Promise<Finding[]> {
  const project = await findProject(folder)
  const list = await listFiles(folder, project.beside)
  const settings = list.files.find(({ path }) => path === configPath)
  const read = readConfig(settings && (await readFile(settings.file)))
  const paths = new Set(list.files.map(({ path }) => path))
  const own = { ...read, config: spelledAs(read.config, path => paths.has(path)) }
  const contents: Contents = new Map()

  for (const { path, file, stats } of list.files) {
    const counts = isRead(path, stats.size) || path === own.config.summary
    contents.set(path, counts ? await readFile(file) : new Uint8Array())
  }

  return [
    ...project.findings.map(what => finding('unread-settings', {}, `${what}.`)),
    ...list.findings.map(what => finding('unread-file', {}, `${what}.`)),
    ...list.links.map(file => finding('unread-file', { file }, linkSentence)),
    ...findingsOf(contents, own),
  ]
}

const linkSentence =
  'The symbolic link is left out: it leads out of the folder, to a folder, or to a file that is left out.'

/** Reports whether the content of a file counts; any small file may be a pointer of Git LFS. */
const isRead = (path: string, size: number): boolean =>
  size <= longestPointer ||
  isMarkdown(path) ||
  isToolSettings(path) ||
  path === configPath ||
  path.endsWith(variablesPath)

function findingsOf(contents: Contents, own: ReturnType<typeof readConfig>): Finding[] {
  const tree = readTree(contents, own)
  const facts = new Map<string, LinkFacts>()
  for (const { path, oid } of linkSources(tree))
    if (!facts.has(oid))
      facts.set(oid, atOnce(linkFactSteps(contents.get(path) ?? new Uint8Array())))
  const factsOf = (oid: string) => facts.get(oid)

  return atOnce(
    findingSteps({
      tree,
      notices: [],
      // There is no server whose addresses could be meant.
      links: atOnce(revisionLinkSteps(tree, { spaceId: '', own: '\0' }, factsOf)),
      facts: factsOf,
      settings: contents.get(configPath),
      pointers: new Set([...contents.values()].filter(isPointer).map(blobId)),
    }),
  )
}

/** Builds the page tree with the settings that a server takes. */
function readTree(contents: Contents, own: ReturnType<typeof readConfig>): ContentTree {
  const config = own.placesPages ? own.config : withTool(contents, own.config)
  const varsPath = config.root + variablesPath
  const vars = readVariables(contents.get(varsPath))
  const isListed = contents.has(config.summary) || config.navigation?.groups !== undefined
  const categories = isListed ? undefined : categoriesOf(contents, config.root)

  return treeOf(
    contents,
    { ...config, ...(categories && categories.size > 0 && { categories }) },
    {
      variables: vars.variables,
      issues: [
        ...own.issues.map(issue => ({ ...issue, path: configPath })),
        ...vars.issues.map(issue => ({ ...issue, path: varsPath })),
      ],
    },
  )
}

/** Returns the settings of a folder with those of another tool that are in it. */
function withTool(contents: Contents, own: ContentConfig): ContentConfig {
  const read = navigationPaths
    .filter(path => contents.has(path))
    .map(path => navigationIn(contents, path))
  const [first] = read
  if (!first) return own
  const settings = read.filter(({ path, groups }) => isNamedSettings(path) || groups)
  // A table of contents in the top folder says that the pages are there.
  const placed = contents.has(own.summary) ? { ...first, folder: '' } : first
  const config = atOnce(withNavigation(filesOf(contents), own, placed))
  return { ...config, settings: settings.flatMap(({ path, lists = [] }) => [path, ...lists]) }
}
