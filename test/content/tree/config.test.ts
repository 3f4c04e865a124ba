import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../../src/content/tree/config.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const read = (text: string) => readConfig(Buffer.from(text))
const lines = (text: string) => read(text).issues.map(issue => issue.line)
const defaults = { root: '', readme: 'README.md', summary: 'SUMMARY.md', redirects: [] }

test('no file, an empty file and empty settings all mean the defaults', () => {
  for (const bytes of [
    undefined,
    Buffer.alloc(0),
    Buffer.from('redirects:\n'),
    Buffer.from('# only a comment'),
  ])
    assert.equal(readConfig(bytes), { config: defaults, issues: [] })
  assert.equal(read('root:\nstructure:\n').config, defaults)
})

test('every path is relative to the content directory', () => {
  const { config, issues } = read(
    'root: ./handbook/\nstructure:\n  readme: START.md\n  summary: ./nav/TOC.md\nredirects:\n  old/install: setup/install.md\n',
  )
  assert.equal(issues, [])
  assert.equal(config, {
    root: 'handbook/',
    readme: 'handbook/START.md',
    summary: 'handbook/nav/TOC.md',
    redirects: [{ from: 'old/install', to: 'handbook/setup/install.md' }],
  })
})

test('all spellings of a root mean the same root', () => {
  for (const root of ['docs', './docs', './docs/', 'docs//', '/docs/', '"./docs"', 'x/../docs'])
    assert.is(read(`root: ${root}\n`).config.root, 'docs/')
  for (const root of ['.', './', '""', '/']) assert.is(read(`root: ${root}\n`).config.root, '')
  assert.is(read('root: 2024\n').config.root, '2024/')
})

test('a path may leave the root, but not the content directory', () => {
  const { config, issues } = read('root: ../other\nstructure:\n  readme: ../../etc/passwd\n')
  assert.equal(config, defaults)
  assert.equal(
    issues.map(issue => issue.line),
    [1, 3],
  )
  assert.is(read('root: docs\nstructure:\n  summary: ../SUMMARY.md\n').config.summary, 'SUMMARY.md')
})

test('redirects are read in every spelling found in practice', () => {
  const { config, issues } = read(`redirects:
  # a comment
  a: ./target.md
  b/: /target.md

  /c.html: 'quoted.md'
  v1.0/articles/x: target.md#part
  d: https://example.org/x
`)

  assert.equal(issues, [])
  assert.equal(config.redirects, [
    { from: 'a', to: 'target.md' },
    { from: 'b', to: 'target.md' },
    { from: 'c.html', to: 'quoted.md' },
    { from: 'v1.0/articles/x', to: 'target.md#part' },
    { from: 'd', to: 'https://example.org/x' },
  ])
})

test('a duplicate key is reported with its line, and the first one counts', () => {
  const { config, issues } = read(
    'redirects:\n  a: one.md\n  b: two.md\n  a: three.md\n  /b/: four.md\n',
  )
  assert.equal(config.redirects.length, 2)
  assert.is(config.redirects[0]?.to, 'one.md')
  assert.equal(issues.map(issue => issue.line).sort(), [4, 5])
})

test('the readable part of a broken file is used', () => {
  assert.equal(lines('redirects:\n\ta: b.md\nroot: docs\n'), [2, 2])
  assert.is(read('redirects:\n\ta: b.md\nroot: docs\n').config.root, 'docs/')
  assert.equal(lines('结构:\n  readme: x.md\nplugins: [a]\n'), [1, 3])
  assert.equal(lines('root: [a]\nstructure: x\nredirects: [b]\n'), [1, 2, 3])
  assert.equal(
    lines('redirects:\n  a:\n  b: {c: d}\n  ../x: y.md\n  e: ../../y.md\n'),
    [2, 3, 4, 5],
  )
  assert.ok(read('just words').issues.length > 0)
  assert.ok(read('- a\n- b\n').issues.length > 0)
  assert.ok(read('root: "open\n').issues.length > 0)
  assert.ok(readConfig(Buffer.from([0x72, 0xff, 0x3a])).issues.length > 0)
  assert.is(read('\ufeffroot: docs\r\nstructure:\r\n  readme: a.md\r\n').config.readme, 'docs/a.md')
})

test('hostile YAML neither throws nor grows', () => {
  const started = cpuTime()
  let bomb = 'a: &a [x,x,x,x,x,x,x,x,x]\n'
  for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf'])
    bomb += `${name}: &${name} [*${of},*${of},*${of}]\n`
  assert.equal(read(`${bomb}root: *g\n`).config, defaults)

  for (const part of [
    '[',
    '{',
    '- ',
    '? ',
    '-\t',
    '{a: ',
    '[[]',
    'a: ',
    ': ',
    '!!a ',
    '&a ',
    '"',
    "'",
    '|\n',
    '- \n',
  ])
    assert.equal(read(part.repeat(50_000)).config, defaults)

  let stairs = ''

  for (let i = 0; i < 700; i++) stairs += `${' '.repeat(i)}a:\n`
  assert.equal(read(stairs).config, defaults)
  assert.equal(read(`__proto__: {root: x}\nconstructor: y\n<<: {root: z}\n`).config, defaults)
  assert.is(read('a'.repeat(2_000_000)).issues.length, 1)
  assert.ok(cpuTime() - started < 15_000)
})

test.run()
