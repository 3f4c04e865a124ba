import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  checkTemplatePaths,
  readTemplateWords,
  type Template,
  type TemplateWords,
  templatePath,
} from '../../content/edit/template.ts'
import { isMarkdown } from '../../content/files.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'

/** A template in a list. `issue` is the reason why a template of the operator cannot be used. */
export type ListedTemplate = TemplateWords & {
  id: string
  files: number
  builtIn: boolean
  issue: string | undefined
}

const shipped = fileURLToPath(new URL('../../../templates/', import.meta.url))

const mostTemplates = 200
const mostFiles = 500
const mostBytes = 10 * 1024 * 1024
/**
 * Filling in a template is synchronous, so the sizes of a page and of all pages together are
 * limited.
 */
const mostOfPage = 256 * 1024
const mostOfPages = 2 * 1024 * 1024
const mostDepth = 10

/** Returns whether the name of a folder can be a template id. */
const isId = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)

/** The reason why the folder of a template cannot be used. */
class Broken extends Error {}

/**
 * Returns the available templates by id: the built-in ones and those in the operator's folder,
 * which is read at each call. A template of the operator replaces a built-in one with the same id,
 * even if it is broken.
 */
export async function listTemplates(ctx: Context): Promise<ListedTemplate[]> {
  const listed = new Map<string, ListedTemplate>()
  for (const { folder, id, builtIn, kind } of await findTemplates(ctx)) {
    try {
      const { words, paths } = await lookAt(folder, kind)
      listed.set(id, { id, ...words, files: paths.length, builtIn, issue: undefined })
    } catch (error) {
      const nothing = { title: id, description: '', refs: [], files: 0 }
      listed.set(id, { id, ...nothing, builtIn, issue: issueOf(error) })
    }
  }

  return [...listed.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Returns the template with this id. Throws 'missing' for an unknown id, 'conflict' for a template
 * that cannot be used.
 */
export async function readTemplate(ctx: Context, id: string): Promise<Template> {
  const found = isId(id)
    ? (await findTemplates(ctx)).findLast(template => template.id === id)
    : undefined
  if (!found) throw missing('template', id)

  try {
    const { words, paths } = await lookAt(found.folder, found.kind)
    const files = new Map<string, Uint8Array>()
    for (const path of paths) files.set(path, await readWhole(join(found.folder, path)))
    return { id, ...words, files }
  } catch (error) {
    throw new Fault('template_unusable', `The template "${id}" cannot be used: ${issueOf(error)}`)
  }
}

type Kind = 'folder' | 'link' | 'file' | 'other'
type TemplateFolder = { folder: string; id: string; builtIn: boolean; kind: Kind }

/**
 * Returns the folders of templates, the built-in ones first. Logs a root folder that cannot be read
 * and skips it.
 */
async function findTemplates({ config, log }: Context): Promise<TemplateFolder[]> {
  const found: TemplateFolder[] = []
  for (const [root, builtIn] of [
    [shipped, true],
    [config.templatesDir, false],
  ] as const) {
    if (root === undefined) continue
    const entries = await readdir(root, { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        log.warn({ folder: root, code: error.code }, 'the folder of templates cannot be read')
        return [] as Dirent[]
      },
    )
    const named = entries.filter(entry => isId(entry.name) && kindOf(entry) !== 'file')
    for (const entry of named.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, mostTemplates))
      found.push({ folder: join(root, entry.name), id: entry.name, builtIn, kind: kindOf(entry) })
  }

  return found
}

const kindOf = (entry: Dirent): Kind =>
  entry.isDirectory()
    ? 'folder'
    : entry.isSymbolicLink()
      ? 'link'
      : entry.isFile()
        ? 'file'
        : 'other'

/** Returns the title, description and file paths of a template. Throws 'invalid' or Broken. */
async function lookAt(
  folder: string,
  kind: Kind,
): Promise<{ words: TemplateWords; paths: string[] }> {
  if (kind !== 'folder') throw new Broken('It is not a folder: links are not followed.')
  const paths = await walk(folder)
  if (!paths.includes(templatePath)) throw new Broken(`It has no "${templatePath}".`)
  const words = readTemplateWords(await readWhole(join(folder, templatePath)))
  const files = paths.filter(path => path !== templatePath)
  checkTemplatePaths(files)
  if (files.every(path => path === 'SUMMARY.md')) throw new Broken('It has no files.')
  return { words, paths: files }
}

/**
 * Returns the paths of all files below a folder, without hidden files and folders other than
 * ".gitbook".
 */
async function walk(folder: string): Promise<string[]> {
  const paths: string[] = []
  let [bytes, words] = [0, 0]
  const visit = async (inner: string, depth: number): Promise<void> => {
    if (depth > mostDepth) throw new Broken(`It has folders deeper than ${mostDepth}.`)
    const entries = await readdir(join(folder, inner), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = inner + entry.name
      if (entry.name.startsWith('.') && !(inner === '' && entry.name === '.gitbook')) continue
      const kind = kindOf(entry)

      if (kind === 'folder') await visit(`${path}/`, depth + 1)
      else if (kind !== 'file')
        throw new Broken(
          `"${path.slice(0, 200)}" is neither a file nor a folder: links are not followed.`,
        )
      else {
        paths.push(path)
        const { size } = await lstat(join(folder, path))
        bytes += size
        if (isMarkdown(path)) words += size
        if (isMarkdown(path) && size > mostOfPage)
          throw new Broken(`"${path}" has more than ${mostOfPage / 1024} KB.`)
        if (words > mostOfPages)
          throw new Broken(`Its pages have more than ${mostOfPages / 1024 ** 2} MB.`)
        if (paths.length > mostFiles + 1) throw new Broken(`It has more than ${mostFiles} files.`)
        if (bytes > mostBytes) throw new Broken(`It has more than ${mostBytes / 1024 ** 2} MB.`)
      }
    }
  }

  await visit('', 0)

  return paths
}

/**
 * Returns the bytes of a file. Does not follow a link that replaced the file since it was listed.
 */
async function readWhole(path: string): Promise<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size } = await handle.stat()
    if (size > mostBytes) throw new Broken(`It has more than ${mostBytes / 1024 ** 2} MB.`)
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0)
    return bytes.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

function issueOf(error: unknown): string {
  if (error instanceof Broken || error instanceof Fault) return error.message
  return `It cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`
}
