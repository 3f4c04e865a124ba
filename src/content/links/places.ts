import { directoryOf, isMarkdown } from '../files.ts'
import type { ContentTree } from '../tree/build.ts'
import type { LinkClass, LinkTo } from './classify.ts'

/** What a path of a tree can be looked up in; paths are seen from the root of the content. */
export type Places = {
  /** A path of the repository as it is seen from the root. */
  within: (path: string) => string
  /** What lies at a path, at `README.md` below it, or at it with `.md` behind. */
  find: (path: string) => { class: LinkClass; to: LinkTo } | undefined
  isFolder: (path: string) => boolean
  /** Whether there is a file whose path differs in upper and lower case alone. */
  hasOtherCase: (path: string) => boolean
}

type Found = { kind: 'page' | 'unlisted' | 'reusable-content' | 'asset' | 'other-file'; to: LinkTo }

/** The places of a tree. */
export function linkPlaces(tree: ContentTree): Places {
  const { root } = tree.config
  const included = new Map(tree.includes.map(({ path, id }) => [path, id]))
  const at = (path: string): Found | undefined => {
    const full = root + path
    const page = tree.pageByFile.get(full)
    if (page) return { kind: 'page', to: { kind: 'page', id: page.id } }
    const include = included.get(full)
    if (include !== undefined)
      return { kind: 'reusable-content', to: { kind: 'reusable-content', id: include } }
    const file = tree.fileByPath.get(full)
    if (file) {
      const kind = path.startsWith('.gitbook/') ? 'asset' : isMarkdown(path) ? 'unlisted' : 'other-file'
      return { kind, to: { kind: 'file', id: file.id } }
    }
    if (full !== tree.summaryPath || tree.summary === null) return undefined
    return { kind: 'other-file', to: { kind: 'url', url: path } }
  }
  let folders: Set<string> | undefined
  let folded: Set<string> | undefined
  return {
    within: path => (path.startsWith(root) ? path.slice(root.length) : path),
    find: path => {
      const folder = path === '' || path.endsWith('/')
      const file = folder ? undefined : at(path)
      if (file) return { class: classOf(file), to: file.to }
      const readme = at(folder ? `${path}README.md` : `${path}/README.md`)
      if (readme && (readme.kind === 'page' || readme.kind === 'unlisted'))
        return { class: readme.kind === 'page' ? 'dir-page' : 'dir-page-unlisted', to: readme.to }
      if (path === '') {
        const first = tree.pageByFile.get(tree.config.readme)
        return first && { class: 'dir-page', to: { kind: 'page', id: first.id } }
      }
      const named = folder ? undefined : at(`${path}.md`)
      return named && { class: 'extensionless-page', to: named.to }
    },
    isFolder: path => {
      folders ??= foldersOf(tree)
      return folders.has(root + path.replace(/\/*$/, '/'))
    },
    hasOtherCase: path => {
      folded ??= new Set([...pathsOf(tree)].map(each => each.toLowerCase()))
      return folded.has((root + path.replace(/\/$/, '/README.md')).toLowerCase())
    },
  }
}

const classOf = ({ kind }: Found): LinkClass => (kind === 'unlisted' ? 'page-unlisted' : kind)

function* pathsOf({ pageByFile, files, includes }: ContentTree): Iterable<string> {
  yield* pageByFile.keys()
  for (const { path } of files) yield path
  for (const { path } of includes) yield path
}

function foldersOf(tree: ContentTree): Set<string> {
  const folders = new Set<string>()
  for (const path of pathsOf(tree))
    for (let folder = directoryOf(path); folder !== '' && !folders.has(folder); ) {
      folders.add(folder)
      folder = directoryOf(folder.slice(0, -1))
    }
  return folders
}
