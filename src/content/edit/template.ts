import { Fault } from '../../errors.ts'
import { decode } from '../text/bytes.ts'
import { foldSlug } from '../text/slug.ts'
import { entriesOf, plainData, readYaml } from '../text/yaml.ts'
import { fileName } from './paths.ts'

/** The kinds of content that the value of a template's name can have. */
export const templateRefKinds = ['file', 'page', 'anchor', 'url', 'openapi'] as const
type TemplateRefKind = (typeof templateRefKinds)[number]

/**
 * A name that the Markdown of a template uses as `ref:<name>`; its value is given when the template
 * is applied.
 */
export type TemplateRef = {
  name: string
  kinds: TemplateRefKind[]
  description: string
  required: boolean
}

/** The content of `template.yaml`. */
export type TemplateWords = { title: string; description: string; refs: TemplateRef[] }

/** A folder of files to create a space from, or to add to one. */
export type Template = TemplateWords & {
  id: string
  /** By path, without `template.yaml`. */
  files: ReadonlyMap<string, Uint8Array>
}

/** The path of a template's description. */
export const templatePath = 'template.yaml'

const longestTitle = 100
const longestDescription = 1000
const mostRefs = 50
const deepest = 10
const sizeLimit = 64 * 1024

/** Returns whether a name is valid in `ref:<name>`. */
const isRefName = (name: string): boolean => /^[a-z][A-Za-z0-9_-]{0,49}$/.test(name)

/** Reads `template.yaml`. Throws 'invalid' with the first error. */
export function readTemplateWords(bytes: Uint8Array): TemplateWords {
  const wrong = (why: string) => new Fault('invalid_input', `${templatePath}: ${why}`)
  const { text, exact } = decode(bytes)
  if (!exact) throw wrong('The file is not valid UTF-8.')

  const file = readYaml(text, sizeLimit)
  const entries = entriesOf(file.document?.contents, file)
  const said = Object.fromEntries(entries.map(({ key, value }) => [key, plainData(value, file)]))
  const [issue] = file.issues
  if (issue)
    throw wrong(issue.line === undefined ? issue.message : `Line ${issue.line}: ${issue.message}`)

  const odd = Object.keys(said).find(key => !['title', 'description', 'refs'].includes(key))
  if (odd !== undefined) throw wrong(`The key "${odd.slice(0, 60)}" is unknown.`)

  const { title, description = '', refs = {} } = said
  if (typeof title !== 'string' || title.trim() === '' || title.length > longestTitle)
    throw wrong(`"title" must be a text of 1 to ${longestTitle} characters.`)
  if (typeof description !== 'string' || description.length > longestDescription)
    throw wrong(`"description" must be a text of up to ${longestDescription} characters.`)
  if (!isRecord(refs) || Object.keys(refs).length > mostRefs)
    throw wrong(`"refs" must be a map of up to ${mostRefs} names.`)

  const list = Object.entries(refs).map(([name, value]) => readRef(name, value, wrong))

  return { title: title.trim(), description: description.trim(), refs: list }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readRef(name: string, value: unknown, wrong: (why: string) => Fault): TemplateRef {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!isRefName(name))
    throw wrong(
      `"refs": ${shown} is not a valid name: use a lowercase letter, then up to 49 letters, digits, "-" and "_".`,
    )

  if (!isRecord(value))
    throw wrong(`"refs.${name}" must be a map with "kinds", "description" and "required".`)

  const { kinds, description = '', required = false, ...rest } = value
  const [odd] = Object.keys(rest)
  if (odd !== undefined) throw wrong(`"refs.${name}": the key "${odd.slice(0, 60)}" is unknown.`)

  const list = Array.isArray(kinds) ? kinds : [kinds]
  const isKind = (kind: unknown): kind is TemplateRefKind =>
    templateRefKinds.some(known => known === kind)
  if (list.length === 0 || !list.every(isKind))
    throw wrong(`"refs.${name}.kinds" must be a list of ${templateRefKinds.join(', ')}.`)

  if (typeof description !== 'string' || description.length > longestDescription)
    throw wrong(
      `"refs.${name}.description" must be a text of up to ${longestDescription} characters.`,
    )

  if (typeof required !== 'boolean') throw wrong(`"refs.${name}.required" must be true or false.`)

  return { name, kinds: [...new Set(list)], description: description.trim(), required }
}

/**
 * Checks the paths of a template's files. Throws 'invalid' for names that are not portable or
 * reserved by Git, for the settings of the space, for paths that differ only in case, and for a
 * path that is both a file and a folder.
 */
export function checkTemplatePaths(paths: readonly string[]): void {
  const seen = new Map<string, 'file' | 'folder'>()
  for (const path of paths) {
    const parts = path.split('/')
    if (parts.length > deepest)
      throw new Fault('invalid_input', `${show(path)} is nested deeper than ${deepest} folders.`)

    if (path === '.gitbook.yaml')
      throw new Fault(
        'invalid_input',
        'A template cannot contain ".gitbook.yaml": the space has its own settings.',
      )

    for (const part of parts)
      if (fileName(part, 'path') !== part)
        throw new Fault('invalid_input', `${show(path)} is not in composed form (Unicode NFC).`)

    for (const [i] of parts.entries()) {
      const part = foldSlug(parts.slice(0, i + 1).join('/'))
      const kind = i === parts.length - 1 ? 'file' : 'folder'
      const there = seen.get(part)
      if (there === 'file' || (there === 'folder' && kind === 'file'))
        throw new Fault('invalid_input', `${show(path)} differs from another path only in case.`)
      seen.set(part, kind)
    }
  }
}

const show = (path: string): string => JSON.stringify(path.slice(0, 200))
