import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { stemmaHere } from './stemma.ts'

const top = mkdtempSync(join(tmpdir(), 'stemma-check-'))
test.after(() => rmSync(top, { recursive: true, force: true }))

/** Creates a folder with these files; `name` is its path. */
function folder(name: string, files: Record<string, string>): string {
  const path = join(top, name)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  return path
}

const check = (...args: string[]) => stemmaHere(['check', ...args])
const linesOf = (text: string) => text.split('\n').filter(line => line !== '')
/** Returns the place, severity and kind of each finding. */
const places = async (path: string) =>
  linesOf((await check(path)).stdout).map(line => line.split(': ').slice(0, 2).join(' '))

const clean = {
  'README.md': '# Home\n\n[A](a.md#b)\n',
  'a.md': '# A\n\n## B\n',
  'SUMMARY.md': '* [Home](README.md)\n* [A](a.md)\n',
  'logo.bin': '\0',
}
const several = folder('several', {
  ...clean,
  'README.md': '# Home\n\n[a](gone.md)\n\n<<<<<<< HEAD\n\n{% hint %}\n',
  '.gitbook.yaml': 'redirects:\n  old: a.md\n  older: gone.md\n  away: https://example.org\n',
  'CONTRIBUTING.md': '# Contributing\n',
  'old.md': '---\nlayout: home\nauthor: b\n---\n\n# Old\n',
  'logo.png': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`,
})

test('a folder without findings', async () => {
  const path = folder('clean', clean)
  assert.equal(await check(path, '--fail-on', 'info'), {
    code: 0,
    stdout: '',
    stderr: 'No findings.\n',
  })
})

test('findings are listed with their places, what to write, and counts', async () => {
  const { code, stdout, stderr } = await check(several)
  assert.is(code, 0)
  assert.equal(await places(several), [
    '.gitbook.yaml:3 warning dead-redirect',
    '.gitbook.yaml:4 warning dead-redirect',
    'CONTRIBUTING.md info unlisted-page',
    'README.md:3 error broken-link',
    'README.md:5 error conflict-marker',
    'README.md:7 error unclosed-block',
    'logo.png error lfs-pointer',
    'old.md warning unlisted-page',
    'old.md:3 info other-key',
  ])
  assert.is(
    linesOf(stdout)[3],
    'README.md:3: error broken-link: "gone.md" does not exist. Write the path of a file that exists, or remove the link.',
  )
  assert.match(stdout, /"https:\/\/example\.org", and is not followed\. .* redirect of the site/)
  assert.is(linesOf(stderr)[0], 'broken-link: 1 broken link')
  assert.match(stderr, 'dead-redirect: 2 redirects that lead to no page\n')
})

test('--fail-on sets the status, by severity and by kind', async () => {
  const one = folder('one', { ...clean, 'old.md': '# Old\n' })
  const codes: [string, number | null][] = []
  for (const what of ['error', 'warning', 'info', 'broken-link', 'draft, unlisted-page'])
    codes.push([what, (await check(one, '--fail-on', what)).code])
  assert.equal(codes, [
    ['error', 0],
    ['warning', 1],
    ['info', 1],
    ['broken-link', 0],
    ['draft, unlisted-page', 1],
  ])
  assert.match(
    (await check(several, '--fail-on', 'error')).stderr,
    '4 findings of "--fail-on error"',
  )

  const { code, stdout, stderr } = await check(several, '--fail-on', 'broken-link,brokn')
  assert.is(code, 2)
  assert.is(stdout, '')
  assert.match(stderr, /not "brokn"\. The kinds are broken-link, /)
})

test('--json prints the findings and their counts', async () => {
  const { code, stdout, stderr } = await check(several, '--json', '--fail-on', 'lfs-pointer')
  assert.is(code, 1)
  assert.is(stderr, '')
  const { counts, findings } = JSON.parse(stdout)
  assert.is(counts['dead-redirect'], 2)
  assert.is(findings.length, 9)
  assert.equal(Object.keys(findings[0]), [
    ...['file', 'line', 'kind', 'severity', 'message', 'advice'],
  ])
})

test('the files are those that publish sends', async () => {
  const path = folder('clone', {
    ...clean,
    '.gitignore': 'build\n',
    'build/x.md': '[a](gone.md)\n',
    'node_modules/p/readme.md': '[a](gone.md)\n',
  })
  execFileSync('git', ['init', '-q', path])
  symlinkSync('/etc', join(path, 'etc'))
  assert.equal(await places(path), ['etc warning unread-file'])
})

test('settings of another tool beside the folder count', async () => {
  folder('tool', {
    'mkdocs.yml': 'site_name: A\nnav:\n  - Home: index.md\n  - Lost: lost.md\n',
    'docs/index.md': '# Home\n',
    'docs/other.md': '# Other\n',
  })
  const found = await places(join(top, 'tool/docs'))
  assert.ok(found.includes('mkdocs.yml error missing-page'), found.join('\n'))
  assert.ok(found.includes('other.md warning unlisted-page'), found.join('\n'))
})

test('a folder that is not there ends the command', async () => {
  const { code, stderr } = await check(join(top, 'nothing'))
  assert.is(code, 1)
  assert.match(stderr, /^There is no folder /)
})

test.run()
