import { existsSync } from 'node:fs'
import { lstat, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { navigationPaths, readNavigation } from '../../content/navigation/navigation.ts'
import type { Navigation } from '../../content/navigation/outline.ts'
import { configPath, readConfig } from '../../content/tree/config.ts'
import { isIgnored } from '../clone/list-work-tree.ts'
import { Failure } from '../output/failure.ts'

/** Files that belong to a folder of documentation and are outside of it. */
export type Beside = {
  /** The path in the space, with its slash for a folder. */
  path: string
  /** The file or folder on disk. */
  file: string
}

/** What the tool that a folder is made for says about it, without running code. */
export type Project = {
  /** The title of the documentation. */
  title?: string
  beside: Beside[]
  /** The files and, with a slash, folders outside of it that count, or would if they existed. */
  watched: string[]
  /** The paths of its settings, those of programs included. */
  settings: string[]
  /** What is not taken of its settings, in sentences. */
  findings: string[]
}

/** The names of the tools whose settings are data, with the names of these files. */
const readable: Readonly<Record<string, RegExp>> = {
  mkdocs: /^mkdocs\./,
  mintlify: /^(?:docs|mint)\.json$/,
}

const endings = ['ts', 'mts', 'js', 'mjs', 'cjs']
const programs = (...names: string[]): string[] =>
  names.flatMap(name => endings.map(ending => `${name}.${ending}`))

/**
 * The tools whose settings are programs: the settings, the folder of the pages and that of files
 * that the tool serves at the root, all below the folder of the project.
 */
const tools = [
  {
    name: 'vitepress',
    settings: programs('.vitepress/config', 'docs/.vitepress/config'),
    pages: 'docs',
    served: '',
  },
  {
    name: 'docusaurus',
    settings: programs('sidebars', 'docusaurus.config'),
    pages: 'docs',
    served: 'static/',
  },
  {
    name: 'starlight',
    settings: programs('astro.config'),
    pages: 'src/content/docs',
    served: 'public/',
  },
]

/** The names of all tools whose folders are known. */
export const toolNames: readonly string[] = [
  ...Object.keys(readable),
  ...tools.map(({ name }) => name),
]

/**
 * Returns the project of a folder; an empty one if its `.gitbook.yaml` says where the pages are, as
 * for the server. `from` names the only tool whose settings count. Throws Failure if there are none
 * of it.
 */
export async function findProject(folder: string, from?: string): Promise<Project> {
  const root = await realpath(folder).catch(() => folder)
  const project: Project = { beside: [], watched: [], settings: [], findings: [] }
  const config = await readFile(join(root, configPath)).catch(() => undefined)
  if (readConfig(config).placesPages) return project

  const own = from === undefined ? undefined : readable[from]
  const paths = navigationPaths.filter(path => from === undefined || own?.test(path))
  const programmed = tools.filter(({ name }) => from === undefined || name === from)
  const navigation = await findNavigation(root, project, paths)
  if (navigation?.title !== undefined) project.title = navigation.title
  for (const tool of programmed) await addTool(project, root, tool)

  if (from !== undefined && project.settings.length === 0 && existsSync(root)) {
    const names = [...paths, ...programmed.flatMap(({ settings }) => settings)]
    const listed = names.map(name => basename(name).replace(/\.[cm]?[jt]s$/, '.*'))
    throw new Failure(
      `There are no settings of ${from} in ${folder} or beside it: no ${[...new Set(listed)].join(', no ')}. Name the folder of the pages, or leave "--from" out.`,
    )
  }

  return project
}

/**
 * Returns the settings in the folder, or those beside it that name it as the folder of the pages.
 */
async function findNavigation(
  root: string,
  project: Project,
  paths: readonly string[],
): Promise<Navigation | undefined> {
  const inside = paths.find(name => existsSync(join(root, name)))
  if (inside !== undefined) {
    project.settings.push(inside)
    return readSettings(join(root, inside))
  }

  const around = dirname(root)
  project.watched.push(...paths.map(name => join(around, name)))
  const path = paths.find(name => existsSync(join(around, name)))
  if (path === undefined || !(await isFit(project, around, path))) return undefined
  const navigation = await readSettings(join(around, path))
  if (navigation === undefined || navigation.folder === '') return undefined
  if (join(around, navigation.folder, '.') !== root) return undefined

  if (existsSync(join(root, navigation.folder))) {
    project.findings.push(
      `${path} was not read: the folder has a folder ${navigation.folder} of its own. Publish ${relative(process.cwd(), around) || '.'}`,
    )
    return undefined
  }

  project.settings.push(path)
  project.beside.push({ path, file: join(around, path) })

  return navigation
}

/**
 * Returns whether a file, or with a slash a folder, that lies beside the folder of the pages may be
 * published, and adds a finding if it is there and may not. A symbolic link may lead anywhere, and
 * a folder that is published says nothing of what Git ignores around it.
 */
async function isFit(project: Project, top: string, path: string): Promise<boolean> {
  const name = basename(path)
  const stats = await lstat(join(top, name)).catch(() => undefined)
  if (stats === undefined) return false
  const leave = (reason: string) => {
    project.findings.push(`${name} beside the folder was left out: ${reason}`)
    return false
  }

  if (stats.isSymbolicLink()) return leave('it is a symbolic link')
  if (path.endsWith('/') ? !stats.isDirectory() : !stats.isFile()) return false
  // In a project that is ignored as a whole, all files are published.
  if ((await isIgnored(top, name)) && !(await isIgnored(top, '.'))) return leave('Git ignores it')

  return true
}

const readSettings = (file: string): Promise<Navigation | undefined> =>
  readFile(file).then(
    bytes => readNavigation(basename(file), bytes),
    () => undefined,
  )

/** Adds what a tool has for a folder that is its project, or the folder of its pages. */
async function addTool(
  project: Project,
  root: string,
  tool: (typeof tools)[number],
): Promise<void> {
  const { settings, pages, served } = tool
  const top = topOf(root, pages) ?? root
  if (top !== root) project.watched.push(...settings.map(name => join(top, name)))
  const [path, of] = [root, top].flatMap(each => {
    const found = settings.find(name => existsSync(join(each, name)))
    return found === undefined ? [] : [found, each]
  })
  if (path === undefined || of === undefined) return
  project.settings.push(path)

  const isWhole = of === root && existsSync(join(root, pages))
  const advice = isWhole ? `. The pages are in ${pages}: publish that folder` : ''
  project.findings.push(`${path} is code: its sidebar was not read${advice}`)

  if (of === root || served === '' || existsSync(join(root, served))) return
  const file = join(of, served)
  project.watched.push(file)
  if (await isFit(project, of, served)) project.beside.push({ path: served, file })
}

/** Returns the folder of which a folder is the folder `pages`; undefined if it has another name. */
function topOf(root: string, pages: string): string | undefined {
  const top = join(root, ...pages.split('/').map(() => '..'))
  return join(top, pages) === root ? top : undefined
}
