import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { filesBelow, readSources, type Source } from './support/source.ts'

const mostLines = 300
const mostFunctionLines = 60
/** Tables of contents: one line an operation, or one type a table of the database. */
const tables = /^src\/(?:api\/routes|store\/tables)\.ts$/

/** What each room may import beside itself. A file that stands in no room is a room of its own. */
const rooms: Record<string, readonly string[]> = {
  errors: [],
  config: [],
  lock: [],
  lib: [],
  net: ['lib', 'errors'],
  git: ['lib', 'errors'],
  content: ['lib', 'errors'],
  store: ['lib', 'errors'],
  threads: ['content', 'lib', 'errors'],
  context: ['config', 'content', 'git', 'net', 'store', 'lib'],
  queue: ['store', 'lib', 'errors'],
  access: ['store', 'lib', 'errors', 'context'],
  actions: ['queue', 'git', 'net', 'content', 'store', 'access', 'lib', 'errors', 'context'],
  http: ['access', 'store', 'lib', 'errors', 'config', 'context'],
  metrics: ['store', 'lib', 'context'],
  api: [
    'http',
    'access',
    'actions',
    'queue',
    'git',
    'net',
    'content',
    'store',
    'lib',
    'errors',
    'context',
    'metrics',
  ],
  jobs: ['actions', 'queue', 'git', 'content', 'store', 'access', 'lib', 'errors', 'context'],
  worker: ['jobs', 'queue', 'store', 'lib', 'context'],
  app: ['api', 'http', 'lib', 'context', 'metrics'],
  open: ['git', 'net', 'content', 'store', 'secret', 'lib', 'config', 'context'],
  secret: ['store', 'lib'],
  watch: ['actions', 'lock', 'open', 'store', 'lib', 'context'],
  server: [
    'app',
    'worker',
    'watch',
    'open',
    'lock',
    'metrics',
    'actions',
    'queue',
    'git',
    'http',
    'config',
    'context',
  ],
  cli: [
    'server',
    'open',
    'secret',
    'lock',
    'actions',
    'jobs',
    'queue',
    'git',
    'content',
    'store',
    'lib',
    'config',
    'errors',
    'context',
  ],
}

/** Functions that hand on their arguments and have a reason to: `path name`. */
const mayHandOn = new Set([
  // Which parts an id is made of, and in which order.
  'src/content/tree/identity.ts defaultId',
])

const sources = readSources(filesBelow('src'))
const roomOf = (path: string) => /^src\/([^/]+?)(?:\.ts|\/)/.exec(path)?.[1] ?? ''
const below = (folder: string) => (source: Source) => source.path.startsWith(folder)
const none = (problems: string[], rule: string) =>
  assert.is(problems.length, 0, `${rule}:\n  ${problems.join('\n  ')}`)

test('imports go one way', () => {
  const problems = sources.flatMap(({ path, imports }) => {
    const room = roomOf(path)
    const allowed = rooms[room]
    if (!allowed) return [`${path} stands in "${room}", which the table of rooms does not have`]
    return imports
      .filter(({ to }) => to.startsWith('src/') && roomOf(to) !== room && !allowed.includes(roomOf(to)))
      .map(({ to }) => `${path} imports ${to}, and ${room} may import ${allowed.join(', ') || 'nothing'}`)
  })
  none(problems, 'a room imports only what stands to its right')
})

test('what runs stands on itself: nothing in src needs tests, and only packages that are installed with it', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
  const known = new Set(Object.keys(dependencies))
  const problems = sources.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ to, type }) => !to.startsWith('src/') && !to.startsWith('node:') && !(type && to === 'express'),
      )
      .filter(({ to }) => !known.has(to.split('/', to.startsWith('@') ? 2 : 1).join('/')))
      .map(({ to }) => `${path} imports ${to}`),
  )
  none(problems, 'not a dependency of the program')
})

test('no file needs itself', () => {
  const edges = new Map(
    sources.map(({ path, imports }) => [path, imports.filter(({ type }) => !type).map(({ to }) => to)]),
  )
  const done = new Set<string>()
  const problems: string[] = []
  const walk = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path)
    if (at >= 0) problems.push([...trail.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const to of edges.get(path) ?? []) walk(to, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) walk(path, [])
  none(problems, 'a cycle of imports')
})

test('files and functions are small', () => {
  const files = sources
    .filter(({ path, lines }) => lines > mostLines && !tables.test(path))
    .map(({ path, lines }) => `${path} has ${lines} lines: a name is missing`)
  const functions = sources.flatMap(source =>
    source.functions
      .filter(({ lines }) => lines > mostFunctionLines)
      .map(({ name, line, lines }) => `${source.path}:${line} ${name} has ${lines} lines`),
  )
  none([...files, ...functions], `no file over ${mostLines} lines, no function over ${mostFunctionLines}`)
})

test('a function says more than the one it calls', () => {
  const problems = sources.flatMap(({ path, functions }) =>
    functions
      .filter(({ name, through }) => through && name !== '' && !mayHandOn.has(`${path} ${name}`))
      .map(({ name, line }) => `${path}:${line} ${name} only hands on its arguments`),
  )
  none(problems, 'a layer must earn the call')
})

test('what others call says what it gives', () => {
  const start = /^export (?:(?:async )?function \w+|const \w+\b.*= (?:async )?(?:<.*>)?\(|const \w+ =$)/
  const problems = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, index) => {
      const called =
        start.test(line) && (!line.endsWith(' =') || /^\s+(?:async )?(?:<.*>)?\(/.test(lines[index + 1]!))
      const told = lines[index - 1]?.endsWith('*/')
      return called && !told ? [`${path}:${index + 1} has no sentence above it`] : []
    })
  })
  none(problems, 'an exported function carries a sentence: what it gives, what it throws')
})

test('every room says what it is for', () => {
  const problems = [...new Set(sources.map(({ path }) => dirname(path)))]
    .filter(folder => folder.split('/').length <= 2 && !existsSync(`${folder}/README.md`))
    .map(folder => `${folder} has no README.md`)
  none(problems, 'a room without a README')
})

test('a file is a verb or a table', () => {
  const problems = sources
    .map(({ path }) => path)
    .filter(path => /\/(?:utils?|helpers?|types|common|misc|index|.*-?service|.*-?manager)\.ts$/.test(path))
  none(problems, 'a name that says nothing')
})

test('SQL is written in store alone', () => {
  const sql = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\.prepare\(|better-sqlite3/
  const problems = sources.filter(
    ({ path, text }) => !below('src/store/')({ path } as Source) && sql.test(text),
  )
  // The lock of a data folder is a SQLite lock, not data; a backup copies the database as a whole.
  const other = problems
    .map(({ path }) => path)
    .filter(path => !/^src\/(?:lock|actions\/upkeep\/(?:backup|restore)[a-z-]*)\.ts$/.test(path))
  none(other, 'SQL outside src/store')
})

test('the limits of tokens are asked wherever membership is', () => {
  const asking = /^src\/(?:access\/(?:reach|admit-token)|store\/people\/(?:organizations|roles-of-user))\.ts$/
  const problems = sources
    .filter(({ path, text }) => !asking.test(path) && /\bfindMember\(/.test(text))
    .map(({ path }) => `${path} asks findMember`)
  none(problems, 'memberWithin (src/access/reach.ts) knows what the token of a request reaches')
})

/** Files that move refs without `commitOperation`, and why no content can come in through them unchecked. */
const mayMoveRefs: Record<string, string> = {
  'src/actions/journal/commit-operation.ts': 'asks for a clearance',
  'src/actions/journal/settle-operation.ts': 'finishes what commitOperation wrote down',
  'src/actions/git-sync/adopt-commit.ts': 'names the branch of an untouched space after the clearance',
  'src/actions/spaces/create-space.ts': 'writes the first commit, which holds nothing but the title',
  'src/actions/heads/reconcile-space.ts': 'puts a deleted branch back',
  'src/actions/git-sync/fetch-branch.ts': 'forgets refs of remotes',
  'src/actions/git-sync/export-repository.ts': 'moves refs of running exports',
  'src/actions/upkeep/pin-commits.ts': 'runs for backups: keeps commits that rows name',
  'src/actions/upkeep/reindex.ts': 'runs on the command line',
  'src/actions/upkeep/repair.ts': 'runs on the command line',
  'src/actions/upkeep/restore.ts': 'runs on the command line',
  'src/actions/heads/published-jump.ts': 'notes which commit was published before another',
  'src/actions/upkeep/purge-content.ts':
    'runs on the command line and at the start: removes content, and brings none in',
  'src/actions/specs/write-spec.ts': 'writes descriptions, not content',
  'src/actions/specs/delete-spec.ts': 'deletes descriptions, not content',
}

test('content moves through commitOperation, which asks for a clearance', () => {
  const callers = sources.filter(
    ({ path, text }) => !path.startsWith('src/git/') && /\bmoveRefs\(/.test(text),
  )
  none(
    callers.filter(({ path }) => !(path in mayMoveRefs)).map(({ path }) => `${path} calls moveRefs`),
    'a new way into the content must pass clearContent; call commitOperation',
  )
})

test('there is one door to Git, and one function that moves a ref', () => {
  // The other door leads to our own program: `lib/child.ts` starts Node on a file of `threads/`.
  const spawning = sources
    .filter(
      ({ path, imports }) =>
        !/^src\/(?:git\/process\/run|lib\/child)\.ts$/.test(path) &&
        imports.some(({ to }) => /child_process$/.test(to)),
    )
    .map(({ path }) => `${path} starts processes`)
  const moving = sources
    .filter(
      ({ path, text }) =>
        !/^src\/git\/(?:refs\/refs|process\/(?:update-ref|processes)|repositories\/repository|values\/errors)\.ts$/.test(
          path,
        ) && /update-ref/.test(text),
    )
    .map(({ path }) => `${path} speaks of update-ref`)
  const direct = sources
    .filter(
      ({ path, imports }) =>
        !path.startsWith('src/git/') &&
        imports.some(({ to }) =>
          /^(?:simple-git|isomorphic-git|src\/git\/process\/(?:run|update-ref|cat-file)\.ts)/.test(to),
        ),
    )
    .filter(({ path }) => !/^src\/(?:server|cli\/.*)\.ts$/.test(path))
    .map(({ path }) => `${path} reaches past the room's functions`)
  none(
    [...spawning, ...moving, ...direct],
    'only src/git/process/run.ts starts git, only moveRefs moves refs',
  )
})

test('what is left to do is not left in the code', () => {
  const problems = [...sources, ...filesBelow('bin').map(read), ...filesBelow('test').map(read)]
    .filter(({ path }) => path !== 'test/architecture.test.ts')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (/\b(?:TODO|FIXME|XXX)\b/.test(line) ? [`${path}:${index + 1}`] : [])),
    )
  none(problems, 'do it or drop it')
})

test('every test file runs its tests', () => {
  const problems = filesBelow('test')
    .filter(path => path.endsWith('.test.ts'))
    .filter(path => !/^\s*\w+\.run\(\)\s*$/m.test(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!))
  none(problems, 'the last line of a test file is `test.run()`')
})

const read = (path: string) => ({ path, text: readFileSync(path, 'utf8') })

test.run()
