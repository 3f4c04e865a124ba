import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const store = new URL('../../src/store/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, store), 'utf8')

const derivedTables = [
  ...read('engine/sqlite/derived.sql').matchAll(/^CREATE (?:VIRTUAL )?TABLE derived\.(\w+)/gm),
].map(match => match[1] as string)

/** Forms of SQL that only SQLite runs, or that mean something else elsewhere. */
const forms: Record<string, RegExp> = {
  'insert or': /\b(?:insert or \w+|replace into)\b/,
  'a conflict without columns': /\bon conflict do update\b/,
  'is with a value': /\bis (?:not )?(?:\$|'|\?)/,
  'a function of SQLite':
    /\b(?:ifnull|iif|typeof|unixepoch|strftime|julianday|datetime|date|time|total_changes|changes|last_insert_rowid|randomblob|hex|quote|printf|group_concat|zeroblob|char|unicode|likely|unlikely|json|json_extract|json_array|json_object|json_type|json_set|json_insert|json_replace|json_remove|json_patch|json_quote|json_tree|json_group_object|json_array_length)\(/,
  'max or min of two values': /\b(?:max|min)\((?:[^(),]|\([^()]*\))*,/,
  'a path of JSON': /->>? '\$/,
  '-> of JSON': /->(?!>)/,
  'glob, match or regexp': /\b(?:glob|match|regexp)\b/,
  'a collation': /\bcollate\b/,
  'a row id': /\b_?rowid_?\b/,
  'a negative limit': /\blimit -/,
  'on after a cross join': /\bcross join "?\w+"?(?: (?:as )?(?!where|cross|left|join)\w+)? on\b/,
  'a subquery without an alias':
    /\b(?:from|join) \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?! (?:as )?(?!where\b|group\b|order\b|having\b|limit\b|union\b)[a-z])/,
  'unary plus': /[=(,<>] ?\+/,
  'user without quotes': /(?<!["\w.])user(?!["\w']| as\b)(?:\.\w| )/,
  'a name with capitals': /\bas [a-z]+[A-Z]/,
  'a name of SQLite': /\b(?:pragma|attach|sqlite_\w+|temp)\b/,
  'a text in double quotes': /= "\w+"(?!\.)/,
}

/** Methods of Kysely for the same forms. */
const methods: Record<string, RegExp> = {
  'insert or': /\.(?:replaceInto|orIgnore|orReplace|orAbort|orFail|orRollback|ignore)\(/,
  'is with a value': /'is(?: not)?',\s*(?!null\b)[\w$]/,
  'a negative limit': /\.limit\(-/,
}

/** What has to do with files of SQLite, and derived rows whose table a parameter names. */
const excepted: Record<string, readonly string[]> = {
  'git/foreign-parts.ts': ['a name of SQLite'],
  'spaces/inventory.ts': ['a name of SQLite'],
  'search/search.ts': ['glob, match or regexp', 'a row id'],
  'search/search-index.ts': ['a row id'],
}

/** Returns the texts of the templates of SQL in a source, with "$" for each value. */
function* templatesIn(source: string): Generator<string> {
  for (const { index, 0: tag } of source.matchAll(/\bsql(?:<[^`]*?>)?`/g))
    yield templateAt(source, index + tag.length)
      .text.replace(/--.*/g, '')
      .replace(/\s+/g, ' ')
      .trim()
}

function templateAt(source: string, from: number): { text: string; end: number } {
  let text = ''
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') return { text, end: at }
    if (source.startsWith('${', at)) {
      at = valueEnd(source, at + 2)
      text += '$'
    } else text += source[at]
  }
  throw new Error('A template does not end.')
}

/** Returns the place of the brace that ends a value of a template. */
function valueEnd(source: string, from: number): number {
  let depth = 1
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') at = templateAt(source, at + 1).end
    else if (source[at] === '{') depth++
    else if (source[at] === '}' && --depth === 0) return at
  }
  throw new Error('A value of a template does not end.')
}

const isDerived = (text: string): boolean =>
  [...text.matchAll(/\b(?:from|join|into|update) "?(\w+)/g)].some(match =>
    derivedTables.includes(match[1] as string),
  )

const formsIn = (text: string): string[] =>
  Object.entries(forms)
    .filter(([, pattern]) => pattern.test(text))
    .map(([name]) => name)

test('no statement on stemma.db has a form that only SQLite knows', () => {
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.ts') && !path.startsWith('engine/'),
  )
  let templates = 0
  const found: string[] = []

  for (const path of files) {
    const source = read(path)
    const texts = [...templatesIn(source)].filter(text => !isDerived(text))
    templates += texts.length
    const names = [
      ...texts.flatMap(text => formsIn(text).map(name => ({ name, text }))),
      ...Object.entries(methods)
        .map(([name, pattern]) => ({ name, text: pattern.exec(source)?.[0] }))
        .filter(({ text }) => text !== undefined),
    ]
    for (const { name, text } of names)
      if (!excepted[path]?.includes(name)) found.push(`${path}: ${name}: ${text}`)
  }

  assert.ok(templates > 200, `${templates} templates`)
  assert.equal(found, [])
})

const onlySqlite = [
  ['insert or', 'insert or ignore into ref (name) values ($)'],
  ['insert or', 'replace into ref (name) values ($)'],
  ['a conflict without columns', 'insert into t (a) values ($) on conflict do update set a = 1'],
  ['is with a value', 'select 1 from t where a is $'],
  ['is with a value', "select 1 from t where a is not 'x'"],
  ['a function of SQLite', "select json_extract(a, 'b') from t"],
  ['a function of SQLite', 'select iif(a, 1, 2) from t'],
  ['max or min of two values', 'select max(a, b) from t'],
  ['max or min of two values', 'select max(coalesce(a, 0), 1) from t'],
  ['a path of JSON', "select a ->> '$.b' from t"],
  ['-> of JSON', "select a -> 'b' from t"],
  ['glob, match or regexp', "select a from t where a glob 'x*'"],
  ['a collation', 'select a from t where a = $ collate nocase'],
  ['a row id', 'delete from t where rowid = 1'],
  ['a negative limit', 'select a from t limit -1 offset 3'],
  ['on after a cross join', 'select 1 from t cross join u on u.a = t.a'],
  ['on after a cross join', 'select 1 from t cross join u as other on other.a = t.a'],
  ['a subquery without an alias', 'select 1 from (select max(a) from t) where true'],
  ['a subquery without an alias', 'select 1 from (select coalesce(max(a), 1) from t)'],
  ['unary plus', 'select 1 from t where a = +b'],
  ['user without quotes', 'select * from user where id = $'],
  ['user without quotes', 'select user.id from member'],
  ['a name with capitals', 'select a as spaceId from t'],
  ['a name of SQLite', 'pragma user_version'],
  ['a text in double quotes', 'select 1 from t where a = "b"'],
] as const

const both = [
  `select "user".id as "userId" from "user" where lower("user".email) = lower($) order by seq`,
  'select max(a), min(coalesce(b, 0)), count(*) from (select a, b from t where a in ($, $)) as part',
  'select 1 from t cross join u as other left join v on v.a = other.a where other.b = t.b',
  'insert into t (a) select $ from u where true on conflict (a) do update set a = t.a + 1',
  "select a ->> 'b', cast(value as bigint) from json_each($) as named where a is distinct from $",
  "select 'user' as kind, user_id from (select a from (select a from t) as inner_part) outer_part",
]

test('the check finds each form, and accepts what both engines run', () => {
  for (const [name, text] of onlySqlite) assert.ok(formsIn(text).includes(name), text)
  for (const text of both) assert.equal(formsIn(text), [], text)
  assert.equal(Object.keys(forms).sort(), [...new Set(onlySqlite.map(([name]) => name))].sort())
})

test.run()
