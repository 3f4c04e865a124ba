import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { api } from '../src/api/routes.ts'
import { program } from '../src/cli/program.ts'
import { otherVariables, settingNames } from '../src/config.ts'
import { openSyncBench, type SyncBench } from './support/git/remote.ts'

const atRoot = ['README.md', 'CHANGELOG.md', 'SECURITY.md']
/** Files outside docs/ that may be linked to. Their own links are not checked here. */
const linkedTo = ['LICENSE', 'src/README.md', 'templates/README.md', ...pictures()]
function pictures(): string[] {
  return readdirSync('pictures').map(name => `pictures/${name}`)
}
const files = readdirSync('docs', { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name))
const pages = files.filter(path => dirname(path) === 'docs')
const texts = new Map(
  [...atRoot, ...linkedTo, ...files].map(path => [path, readFileSync(path, 'utf8')]),
)
const textOf = (path: string): string => texts.get(path) ?? ''
const guides = [...pages, 'README.md', 'SECURITY.md']

let bench: SyncBench
let root: Command

test.before(async () => {
  bench = await openSyncBench()
  bench.remote('stemma', Object.fromEntries(texts))
  root = await program(undefined)
})
test.after(async () => {
  await bench.stop()
})

/** Imports the documents, or one folder of them, into a new space. Returns its id. */
async function importDocs(directory: string): Promise<string> {
  const space = await bench.space('Stemma')
  const url = `${bench.host.origin}/stemma.git`
  const body = { url, ref: 'refs/heads/main', repoProjectDirectory: directory, replace: true }
  const operation = await bench.sync('import', space, body)
  assert.is(operation.state, 'success', operation.error)
  return space
}

/**
 * Returns the broken links of a space, including those to a missing heading, as "file:line target".
 */
async function brokenLinks(space: string): Promise<string[]> {
  const { body } = await bench.app.admin.get(`/v1/spaces/${space}/links?limit=1000`)
  assert.ok(body.stats.total > 50)
  assert.is(body.next, undefined)

  return body.items
    .filter(
      (item: { status: string; link: { anchor?: string } }) =>
        item.status === 'broken' || item.link.anchor,
    )
    .map(
      ({ link }: { link: { path: string; line: number; target: string } }) =>
        `${link.path}:${link.line} ${link.target}`,
    )
}

test('docs/ imports without issues or broken links, and its table of contents lists every page', async () => {
  const space = await importDocs('docs')
  assert.equal(await brokenLinks(space), [])
  const { body } = await bench.app.admin.get(`/v1/spaces/${space}/content?format=markdown`)
  assert.equal(body.issues ?? [], [])
  const found: { path: string; title: string; description?: string; git?: { path: string } }[] = []
  const visit = (nodes: typeof body.pages) => {
    for (const node of nodes) {
      if (node.type === 'document') found.push(node)
      visit(node.pages ?? [])
    }
  }

  visit(body.pages)
  const files = found.map(page => `docs/${page.git?.path}`).sort()

  assert.equal(files, pages.filter(path => path !== 'docs/SUMMARY.md').sort())

  for (const { title, description, git } of found) {
    assert.ok(description, `${git?.path} has no description`)
    const text = textOf(`docs/${git?.path}`)
    assert.match(text, `\ntitle: ${title}\n`)
    assert.match(text, `\n# ${title}\n`)
  }
})

test('every link of the README, the changelog and the security policy resolves', async () => {
  const broken = await brokenLinks(await importDocs(''))
  assert.equal(
    broken.filter(link => !linkedTo.some(path => link.startsWith(`${path}:`))),
    [],
  )
})

test('README.md has at most 150 lines', () => {
  assert.ok(textOf('README.md').trimEnd().split('\n').length <= 150)
})

/**
 * The variables of src/config.ts with their defaults, undefined for variables without a default.
 */
function variables(): Map<string, string | undefined> {
  const source = readFileSync('src/config.ts', 'utf8')
  const [, body = ''] = /const Environment = z\.object\(\{\n(.*?)\n\}\)/s.exec(source) ?? []
  const fields = body.split(/^ {2}(?=[A-Z])/m).filter(Boolean)

  return new Map(
    fields.map(field => [
      field.slice(0, field.indexOf(':')),
      /\.default\(([^[\]]+)\)/.exec(field)?.[1]?.replace(/['_]/g, ''),
    ]),
  )
}

/** The first two cells of every table row whose first cell is code. */
const rowsOf = (path: string): Map<string, string> =>
  new Map(
    [...textOf(path).matchAll(/^\| `([^`]+)`\s*\| ([^|]*?) *\|/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )

test('docs/configuration.md lists every environment variable with its default', () => {
  const known = variables()
  assert.is(known.get('PORT'), '3000')

  assert.equal(
    settingNames.filter(name => !known.has(name)),
    [],
  )
  const rows = rowsOf('docs/configuration.md')

  for (const [name, byDefault] of known) {
    if (otherVariables.includes(name)) continue
    assert.ok(rows.has(name), `${name} is missing`)
    if (byDefault !== undefined) assert.is(rows.get(name), `\`${byDefault}\``, name)
  }

  const ofCommandLine = ['STEMMA_URL', 'STEMMA_TOKEN', 'STEMMA_REMOTE_URL']

  assert.equal(
    [...rows.keys()].filter(name => !known.has(name)),
    ofCommandLine,
  )
})

/** Every runnable command, such as "stemma space create". */
const leaves = (command: Command, path: string): string[] =>
  command.commands.length === 0
    ? [path]
    : command.commands.flatMap(each => leaves(each, `${path} ${each.name()}`))

test('docs/command-line.md lists exactly the commands that exist', () => {
  const known = leaves(root, 'stemma')
  assert.ok(known.length > 20)
  const rows = [...rowsOf('docs/command-line.md').keys()].filter(name => name.startsWith('stemma '))
  assert.equal(rows.sort(), known.sort())
})

/** The lines of the shell examples, with continuation lines joined. */
const shellLines = (text: string): string[] =>
  [...text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)].flatMap(([, , code = '']) =>
    code.replace(/\\\n/g, ' ').split('\n'),
  )

/** Returns what is wrong with a line that runs the command line, or undefined. */
function findWrongCommand(line: string): string | undefined {
  const [, called = ''] = /\bnpx stemma ([^#|]*)/.exec(line) ?? []
  const words = called.split(/[\s)]+/)
  let command = root

  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const next = command.commands.find(each => each.name() === word)
    if (!next) break
    command = next
  }

  if (command.commands.length > 0) return 'is not a command'

  const flags = [...called.matchAll(/(?<= )--?[a-z][a-z-]*/g)].map(([flag]) => flag)
  const unknown = flags.find(
    flag => !command.options.some(({ long, short }) => long === flag || short === flag),
  )

  return unknown && `${unknown} is not an option of this command`
}

test('every example runs an existing command with options that it accepts', () => {
  const lines = guides
    .flatMap(path => shellLines(textOf(path)))
    .filter(line => line.includes('npx stemma '))
  assert.ok(lines.length > 20)
  assert.equal(
    lines.flatMap(line => findWrongCommand(line.replaceAll(/'[^']*'/g, "''")) ?? []),
    [],
  )
})

/** The operations of the API as patterns of "METHOD /path". */
const operations = Object.keys(api).map(
  route => new RegExp(`^${route.replace(/\/\*\w+/, '/.+').replace(/:\w+/g, '[^/]+')}$`),
)
const isOperation = (called: string): boolean => operations.some(pattern => pattern.test(called))

test('every example calls an existing operation', () => {
  const calls = guides.flatMap(path =>
    shellLines(textOf(path)).flatMap(line => {
      const [, where = '', rest = ''] = /\bapi "?(\/[^\s"?]*)(.*)/.exec(line) ?? []
      const method = /-X (\w+)/.exec(rest)?.[1] ?? (rest.includes(' -d ') ? 'POST' : 'GET')
      return where ? [`${method} ${where}`] : []
    }),
  )

  assert.ok(calls.length > 40)
  assert.equal(
    calls.filter(called => !isOperation(called)),
    [],
  )
})

test('every operation named in the text exists', () => {
  const named = guides.flatMap(path =>
    [...textOf(path).matchAll(/`(GET|POST|PUT|PATCH|DELETE) \/v1(\/[^\s`]*)/g)].map(
      ([, method, where = '']) => `${method} ${where.replace(/\?.*/, '').replace(/\{\w+\}/g, 'x')}`,
    ),
  )

  assert.ok(named.length > 10)
  assert.equal(
    named.filter(called => !isOperation(called)),
    [],
  )
})

test.run()
