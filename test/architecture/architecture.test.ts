import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { filesBelow, readSources, type Source } from '../support/source.ts'
import { partOf, roomOf, rooms, roomTables } from './rooms.ts'

const mostLines = 300
const mostFunctionLines = 60
const mostPaths = 15
const mostFiles = 25
/** What encloses the generated tables in `src/README.md`. */
const marks = { start: '<!-- rooms -->', end: '<!-- /rooms -->' }
/** Tables of contents: one line an operation, or one type a table of the database. */
const tables = /^src\/(?:api\/routes|store\/tables)\.ts$/

/** Functions that hand on their arguments and have a reason to: `path name`. */
const mayHandOn = new Set([
  // Which parts an id is made of, and in which order.
  'src/content/tree/identity.ts defaultId',
])

/** All files at once: each reading loads the whole program. */
const files = readSources(['src', 'test', 'bin'].flatMap(filesBelow))
const sources = files.filter(({ path }) => path.startsWith('src/'))
const below = (folder: string) => (source: Source) => source.path.startsWith(folder)
const none = (problems: string[], rule: string) =>
  assert.is(problems.length, 0, `${rule}:\n  ${problems.join('\n  ')}`)

test('a room imports only the rooms that the table allows', () => {
  const problems = sources.flatMap(({ path, imports }) => {
    const room = roomOf(path)
    const allowed = rooms[room]?.may
    if (!allowed) return [`${path} is in "${room}", which the table of rooms does not list`]

    return imports
      .filter(
        ({ to }) => to.startsWith('src/') && roomOf(to) !== room && !allowed.includes(roomOf(to)),
      )
      .map(
        ({ to }) =>
          `${path} imports ${to}, and ${room} may import ${allowed.join(', ') || 'nothing'}`,
      )
  })
  none(problems, 'test/architecture/rooms.ts lists what a room may import')
})

test('a part of a room imports only the parts that the table allows', () => {
  const problems = sources.flatMap(({ path, imports }) => {
    const room = roomOf(path)
    const parts = rooms[room]?.parts
    if (!parts) return []

    const allowed = parts[partOf(path)]?.may
    if (!allowed) return [`${path} is in "${partOf(path)}", which the parts of ${room} do not list`]

    return imports
      .filter(({ to }) => to.startsWith('src/') && roomOf(to) === room)
      .filter(({ to }) => partOf(to) !== partOf(path) && !allowed.includes(partOf(to)))
      .map(
        ({ to }) =>
          `${path} imports ${to}, and may import ${allowed.join(', ') || 'nothing'} of ${room}`,
      )
  })
  none(problems, 'test/architecture/rooms.ts lists what a part may import')
})

/** Returns a way round each circle of a graph, such as "a → b → a". */
function circlesOf(edges: Record<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const walk = (at: string, trail: readonly string[]): string[] => {
    const start = trail.indexOf(at)
    if (start >= 0) return [[...trail.slice(start), at].join(' → ')]
    if (done.has(at)) return []

    const circles = (edges[at] ?? []).flatMap(to => walk(to, [...trail, at]))
    done.add(at)

    return circles
  }

  return Object.keys(edges).flatMap(at => walk(at, []))
}

/** The kinds of files of src/api by their names, from the bottom up. */
const kindsOfFile: [kind: string, path: RegExp][] = [
  ['schema', /[/-]schema\.ts$/],
  ['present', /\/present(?:-[\w-]+)?\.ts$/],
  ['load', /\/load(?:-[\w-]+)?\.ts$/],
  ['other', /^(?!.*(?:[/-](?:endpoints?|operations)\.ts$|\/routes[./]))/],
  ['endpoints', /[/-](?:endpoints?|operations)\.ts$/],
  ['routes', /\/routes[./]/],
]

test('a file of api imports only files of its own kind and of kinds below', () => {
  const kindOf = (path: string) => kindsOfFile.findIndex(([, name]) => name.test(path))
  const nameOf = (path: string) => kindsOfFile[kindOf(path)]?.[0]
  const problems = sources
    .filter(below('src/api/'))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ to }) => to.startsWith('src/api/') && kindOf(to) > kindOf(path))
        .map(({ to }) => `${path} (${nameOf(path)}) imports ${to} (${nameOf(to)})`),
    )

  none(problems, kindsOfFile.map(([kind]) => kind).join(' < '))
})

test('the folders of api do not import each other in a circle', () => {
  const edges: Record<string, string[]> = {}
  for (const { path, imports } of sources.filter(below('src/api/'))) {
    const to = imports.map(each => dirname(each.to)).filter(each => each.startsWith('src/api'))
    const others = to.filter(each => each !== dirname(path))
    edges[dirname(path)] = [...new Set([...(edges[dirname(path)] ?? []), ...others])]
  }
  none(circlesOf(edges), 'a circle of folders')
})

test('the tables of rooms and parts have no circle', () => {
  const circles = (table: Record<string, { may: readonly string[] }>) =>
    circlesOf(Object.fromEntries(Object.entries(table).map(([name, { may }]) => [name, may])))
  none(
    [...circles(rooms), ...Object.values(rooms).flatMap(({ parts }) => circles(parts ?? {}))],
    'a circle',
  )
})

test('src/README.md shows the tables of rooms and parts', () => {
  const path = 'src/README.md'
  const text = readFileSync(path, 'utf8')
  const [before = '', after = ''] = [text.split(marks.start, 1)[0], text.split(marks.end, 2)[1]]
  const expected = `${before}${marks.start}\n\n${roomTables()}\n\n${marks.end}${after}`
  const cells = (markdown: string) => markdown.replace(/ *\| */g, '|').replace(/-{3,}/g, '---')
  if (process.env.UPDATE && cells(text) !== cells(expected)) writeFileSync(path, expected)
  else assert.is(cells(text), cells(expected), 'run UPDATE=1 npm test -- test/architecture')
})

test('every file that src/README.md names exists', () => {
  const text = readFileSync('src/README.md', 'utf8')
  const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|tsx|sql|txt|json))`/g)]
  const problems = named
    .map(([, path = '']) => path)
    .filter(path => !existsSync(`src/${path}`) && !existsSync(path))
    .filter(path => !sources.some(source => source.path.endsWith(`/${path}`)))
  none([...new Set(problems)], 'src/README.md names files that do not exist')
})

test('no folder of src and test has more than 25 files', () => {
  const counts = new Map<string, number>()
  for (const path of [...filesBelow('src'), ...filesBelow('test')])
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  none(
    [...counts]
      .filter(([, files]) => files > mostFiles)
      .map(([folder, files]) => `${folder}: ${files} files`),
    'a folder needs sub-folders',
  )
})

type Package = Record<
  'dependencies' | 'optionalDependencies' | 'devDependencies',
  Record<string, string>
>

const readPackage = (folder: string): Package =>
  JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))

/** Returns the packages that the program runs with, and their versions. */
const installedWith = (): Record<string, string> => {
  const { dependencies, optionalDependencies } = readPackage('')
  return { ...dependencies, ...optionalDependencies, ...readPackage('printing/').dependencies }
}

/** Packages that only the build of diagrams needs, or a run of the sources without a build. */
const builtFrom: Readonly<Record<string, readonly string[]>> = {
  'bin/stemma.js': ['tsx/esm/api'],
  'src/site/client/diagram.ts': ['mermaid'],
}

test('what runs stands on itself: nothing in src needs tests, and only packages that are installed with it', () => {
  const known = new Set(Object.keys(installedWith()))
  const problems = files
    .filter(({ path }) => !path.startsWith('test/'))
    .flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ to, type }) =>
            !to.startsWith('src/') && !to.startsWith('node:') && !(type && to === 'express'),
        )
        .filter(({ to }) => builtFrom[path]?.includes(to) !== true)
        .filter(({ to }) => !known.has(to.split('/', to.startsWith('@') ? 2 : 1).join('/')))
        .map(({ to }) => `${path} imports ${to}`),
    )

  none(problems, 'not a dependency of the program')
})

test('packages have exact versions', () => {
  const ranges = Object.entries({ ...installedWith(), ...readPackage('').devDependencies }).filter(
    ([, version]) => !/^(?:npm:[@\w./-]+@)?\d+\.\d+\.\d+$/.test(version),
  )
  none(
    ranges.map(([name, version]) => `${name} ${version}`),
    'an update of a package is a change of this repository: name one version',
  )
})

test('files do not import each other in a circle, types included', () => {
  const edges = sources.map(({ path, imports }) => [path, imports.map(({ to }) => to)])
  none(circlesOf(Object.fromEntries(edges)), 'a circle of imports')
})

test('files and functions are small', () => {
  const files = sources
    .filter(({ path, lines }) => lines > mostLines && !tables.test(path))
    .map(({ path, lines }) => `${path} has ${lines} lines of code: a name is missing`)
  const functions = sources.flatMap(source =>
    source.functions
      .filter(({ lines }) => lines > mostFunctionLines)
      .map(({ name, line, lines }) => `${source.path}:${line} ${name} has ${lines} lines of code`),
  )

  none(
    [...files, ...functions],
    `no file over ${mostLines} lines, no function over ${mostFunctionLines}`,
  )
})

test('functions are simple: cyclomatic complexity is at most 15', () => {
  const problems = sources.flatMap(({ path, functions }) =>
    functions
      .filter(({ complexity }) => complexity > mostPaths)
      .map(({ name, line, complexity }) => `${path}:${line} ${name} has ${complexity}`),
  )
  none(problems, `no function has a cyclomatic complexity over ${mostPaths}`)
})

test('a function with a block is declared, not assigned', () => {
  const problems = sources.flatMap(({ path, functions }) =>
    functions
      .filter(({ blockArrow }) => blockArrow)
      .map(({ name, line }) => `${path}:${line} ${name} is an arrow function with a block`),
  )
  none(problems, 'write `function name() { … }`')
})

test('an export is used by another file', () => {
  const used = new Set<string>()
  const whole = new Set<string>()

  for (const { imports } of files)
    for (const { to, names } of imports) {
      if (names.length === 0) whole.add(to)
      for (const name of names) used.add(`${to} ${name}`)
    }

  const start = /^export (?:async )?(?:const|function\*?|class|type|let) (\w+)/gm
  const problems = sources
    .filter(({ path }) => !whole.has(path))
    .flatMap(({ path, text }) => [...text.matchAll(start)].map(([, name]) => `${path} ${name}`))
    .filter(each => !used.has(each))
  none(problems, 'leave out "export"')
})

test('the name of a type says what it is', () => {
  const problems = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?type (Place|Asked|Found|Made)\b/gm)].map(
      ([, name]) => `${path} ${name}`,
    ),
  )
  none(problems, 'these words fit everything: take a noun of the room')
})

test('a function says more than the one it calls', () => {
  const problems = sources.flatMap(({ path, functions }) =>
    functions
      .filter(({ name, through }) => through && name !== '' && !mayHandOn.has(`${path} ${name}`))
      .map(({ name, line }) => `${path}:${line} ${name} only hands on its arguments`),
  )
  none(problems, 'a layer must earn the call')
})

test('exported functions have a doc comment', () => {
  const start =
    /^export (?:(?:async )?function \w+|const \w+\b.*= (?:async )?(?:<.*>)?\(|const \w+ =$)/
  const problems = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, index) => {
      const called =
        start.test(line) &&
        (!line.endsWith(' =') || /^\s+(?:async )?(?:<.*>)?\(/.test(lines[index + 1]!))
      const told = lines[index - 1]?.endsWith('*/')
      return called && !told ? [`${path}:${index + 1} has no sentence above it`] : []
    })
  })

  none(problems, 'an exported function carries a sentence: what it gives, what it throws')
})

test('the doc comment of an exported function starts with a verb', () => {
  const comment =
    /\/\*\*\s*\*?\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\nexport (?:async )?(?:function\*? (\w+)|const (\w+)\b[^=\n]*= (?:async )?(?:<[^\n]*?>)?\()/g
  const problems = sources.flatMap(({ path, text }) =>
    [...text.matchAll(comment)]
      .filter(([, words]) => !/^[A-Z][a-z]+s,?\s/.test(words ?? ''))
      .map(
        ([, words, declared, assigned]) =>
          `${path} ${declared ?? assigned}: ${words?.slice(0, 60)}`,
      ),
  )

  none(problems, 'write "Returns …", "Throws …", "Reads …"')
})

test('texts name things by their technical names', () => {
  const phrases =
    /\b(?:whoever|somebody|nobody|anew|take[sn]? note|gives? way|is none of|lets? others in)\b/i
  const problems = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        phrases.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 80)}`] : [],
      ),
  )

  none(problems, 'name the thing: the caller, the lock, the event loop')
})

test('the result of JSON.parse has a type', () => {
  const problems = sources.flatMap(({ path, untypedParses }) =>
    untypedParses.map(line => `${path}:${line}`),
  )
  none(problems, 'write `JSON.parse(text) as T`, or `as unknown` for a value to be checked')
})

test('a look-up that must succeed says what it did not find', () => {
  const problems = sources.flatMap(({ path, assertedLookUps }) =>
    assertedLookUps.map(line => `${path}:${line}`),
  )
  none(problems, 'call mustGet of lib/must-get.ts, or handle undefined')
})

/** Files that parse what Git wrote, where a text becomes an object id without a further check. */
const mayMakeOids =
  /^src\/(?:lib\/oid|git\/(?:values\/parse[a-z-]*|history\/history|commits\/rewrite|receiving\/check-closure))\.ts$/

test('a text becomes an object id where it enters the program', () => {
  const problems = sources.flatMap(({ path, text }) =>
    mayMakeOids.test(path)
      ? []
      : text
          .split('\n')
          .flatMap((line, index) =>
            / as (?:unknown as )?(?:readonly )?Oid\b/.test(line)
              ? [`${path}:${index + 1} ${line.trim()}`]
              : [],
          ),
  )
  none(problems, 'give the column or the field the type Oid, or call parseOid or asOid')
})

test('texts of any length are normalized in linear time', () => {
  // Names of branches are short, and the exact form decides whether two are the same.
  const exempt = /^src\/(?:lib\/normalize|actions\/push\/branch-name)\.ts$/
  const problems = sources.filter(
    ({ path, text }) => !exempt.test(path) && /\.normalize\('NF/.test(text),
  )
  none(
    problems.map(({ path }) => path),
    'call normalize of lib/normalize.ts',
  )
})

test('every room says what it is for', () => {
  const problems = [...new Set(sources.map(({ path }) => dirname(path)))]
    .filter(folder => !/^src\/api\/[^/]+\//.test(folder) && !existsSync(`${folder}/README.md`))
    .map(folder => `${folder} has no README.md`)
  none(problems, 'a room without a README')
})

test('a file is a verb or a table', () => {
  const problems = sources
    .map(({ path }) => path)
    .filter(path =>
      /\/(?:utils?|helpers?|types|common|misc|index|.*-?service|.*-?manager)\.ts$/.test(path),
    )
  none(problems, 'a name that says nothing')
})

test('SQL is written in store alone', () => {
  const sql =
    /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\.prepare\(|better-sqlite3/
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
  const asking =
    /^src\/(?:access\/(?:reach|admit-token)|store\/people\/(?:organizations|roles-of-user))\.ts$/
  const problems = sources
    .filter(({ path, text }) => !asking.test(path) && /\bfindMember\(/.test(text))
    .map(({ path }) => `${path} asks findMember`)
  none(problems, 'memberWithin (src/access/reach.ts) knows what the token of a request reaches')
})

/**
 * Files that move refs without `publish`, and why no content can come in through them unchecked.
 */
const mayMoveRefs: Record<string, string> = {
  'src/actions/journal/publish.ts': 'asks for a clearance',
  'src/actions/journal/settle-intent.ts': 'finishes what publish wrote down',
  'src/actions/journal/publish-new.ts':
    'publishes a repository without a row; its content is checked before',
  'src/actions/repositories/put-back-refs.ts': 'makes Git follow rows, which do not change',
  'src/actions/journal/move-branches.ts':
    'prepares the branch of an untouched space for publish, at the commit that it has, or undoes that',
  'src/actions/git-sync/fetch-branch.ts':
    'remembers what this repository has fetched, for the next fetch alone: no row follows',
  'src/actions/catch-up/fill.ts': 'makes a cache follow rows',
  'src/actions/catch-up/catch-up.ts': 'makes a cache follow rows',
  'src/actions/upkeep/purge-content.ts': 'has a journal of its own, and brings no content in',
  'src/actions/upkeep/restore.ts': 'writes into a folder that no server uses',
  'src/actions/moving/build-from-rows.ts': 'writes into a folder that no server uses',
}

test('content moves through publish, which asks for a clearance', () => {
  const callers = sources.filter(
    ({ path, text }) => !path.startsWith('src/git/') && /\bmoveRefs\(/.test(text),
  )
  none(
    [
      ...callers
        .filter(({ path }) => !(path in mayMoveRefs))
        .map(({ path }) => `${path} calls moveRefs`),
      ...Object.keys(mayMoveRefs)
        .filter(listed => !callers.some(({ path }) => path === listed))
        .map(path => `${path} is listed, but does not call moveRefs`),
    ],
    'a new way into the content must pass clearContent; call publish',
  )
})

/** Files outside git/ that read refs by themselves, and why `headOf` is not what they need. */
const mayReadRefs: Record<string, string> = {
  'src/actions/repositories/head-of.ts': 'says where the refs of spaces and of specs are',
  'src/actions/catch-up/fill.ts': 'makes a cache follow rows',
  'src/actions/journal/publish-new.ts': 'reads a repository that is not that of a space yet',
  'src/actions/spaces/duplicate-space.ts': 'reads a repository that is not that of a space yet',
  'src/actions/upkeep/restore.ts': 'reads repositories in a folder that no server uses',
  'src/actions/moving/build-from-rows.ts': 'reads a repository in a folder that no server uses',
  'src/actions/repairing/find-lost-refs.ts': 'reads what damaged rows do not have from a folder',
  'src/actions/repairing/renew-folder.ts': 'compares a cache with rows',
  'src/actions/repairing/repair.ts': 'reads HEAD of a damaged repository and of its source',
  'src/actions/upkeep/verify-repository.ts': 'checks HEAD of a repository of any kind',
}

/** Functions of git/refs that read refs. */
const readers = ['readRef', 'listRefs', 'listPacked', 'readBranches', 'defaultBranch', 'primaryNow']

test('headOf says where a ref of a space or of specs is', () => {
  const imported = new RegExp(
    `import \\{[^}]*\\b(?:${readers.join('|')})\\b[^}]*\\} from '[./]*/git/refs/`,
  )
  const reading = sources.filter(
    ({ path, text }) => !path.startsWith('src/git/') && imported.test(text),
  )
  none(
    [
      ...reading
        .filter(({ path }) => !(path in mayReadRefs))
        .map(({ path }) => `${path} reads refs`),
      ...Object.keys(mayReadRefs)
        .filter(listed => !reading.some(({ path }) => path === listed))
        .map(path => `${path} is listed, but does not read refs`),
    ],
    'a ref of a space or of specs comes from actions/repositories/head-of.ts',
  )
})

/**
 * Files that take a lock by name. The lock of a space is taken by `lockSpace`, which opens the
 * space.
 */
const mayLock: Record<string, string> = {
  'src/actions/heads/open-space.ts': 'the lock of a space',
  'src/actions/catch-up/catch-up.ts': 'the cache of a repository',
  'src/actions/spaces/remove-repository.ts': 'the lock of a space that does not exist yet',
  'src/actions/upkeep/set-orphans-aside.ts': 'the locks of spaces and specs without a row',
  'src/actions/specs/open-specs.ts': 'the lock of the specs of an organization',
  'src/actions/specs/read-spec.ts': 'a version of a spec',
  'src/actions/specs/process-spec.ts': 'a version of a spec',
  'src/actions/specs/file-specs.ts': 'a spec in a file',
  'src/actions/specs/gather-spec.ts': 'one parser at a time',
  'src/actions/search/index-search.ts': 'the search index of a space',
  'src/actions/uploads/upload-files.ts': 'an upload',
  'src/actions/print/print-pdf.ts': 'one PDF at a time',
  'src/actions/images/sized-image.ts': 'one image at a time',
  'src/actions/images/draw-image.ts': 'one image at a time',
  'src/http/hold-key.ts': 'an idempotency key',
}

test('writers take the lock of a space through lockSpace, which opens the space', () => {
  const takers = sources.filter(({ text }) => /\blocks\.run\(/.test(text)).map(({ path }) => path)
  none(
    takers.filter(path => !(path in mayLock)).map(path => `${path} takes a lock`),
    'call lockSpace of actions/heads/open-space.ts',
  )
})

test('there is one door to Git, and one function that moves a ref', () => {
  // Git is started by `child.ts`, or by the launcher, which is a process of its own. Other doors
  // lead to our own program (`lib/child.ts` starts Node on a file of `threads/`), to the user's
  // browser, and to the git of a user on their own clones.
  const spawning = sources
    .filter(
      ({ path, imports }) =>
        !/^src\/(?:git\/process\/(?:child|launcher)|threads\/launcher|lib\/child|cli\/api\/open-browser|cli\/clone\/(?:git-clone|run-git))\.ts$/.test(
          path,
        ) && imports.some(({ to }) => /child_process$/.test(to)),
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
          /^(?:simple-git|isomorphic-git|src\/git\/process\/(?:run|update-ref|cat-file)\.ts)/.test(
            to,
          ),
        ),
    )
    .filter(({ path }) => !/^src\/(?:server|cli\/.*)\.ts$/.test(path))
    .map(({ path }) => `${path} reaches past the room's functions`)

  none(
    [...spawning, ...moving, ...direct],
    'only startChild of src/git/process starts git, only moveRefs moves refs',
  )
})

test('what is left to do is not left in the code', () => {
  const problems = [...sources, ...filesBelow('bin').map(read), ...filesBelow('test').map(read)]
    .filter(({ path }) => path !== 'test/architecture/architecture.test.ts')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          /\b(?:TODO|FIXME|XXX)\b/.test(line) ? [`${path}:${index + 1}`] : [],
        ),
    )
  none(problems, 'do it or drop it')
})

test('every test file runs its tests', () => {
  const problems = filesBelow('test')
    .filter(path => path.endsWith('.test.ts'))
    .filter(
      path =>
        !/^\s*\w+\.run\(\)\s*$/m.test(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!),
    )
  none(problems, 'the last line of a test file is `test.run()`')
})

const read = (path: string) => ({ path, text: readFileSync(path, 'utf8') })

test.run()
