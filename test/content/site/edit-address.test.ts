import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { editAddress, filledEditLink } from '../../../src/content/site/edit-address.ts'

const edit = (url: string, provider: string | null = null, directory = '') =>
  editAddress({ url, provider, ref: 'refs/heads/main', directory }, 'guide/a b.md')

test('known hosts have an address at which they edit a file', () => {
  assert.is(
    edit('https://github.com/acme/docs.git'),
    'https://github.com/acme/docs/edit/main/guide/a%20b.md',
  )

  assert.is(
    edit('https://github.com/acme/docs/tree/main/docs', null, 'docs'),
    'https://github.com/acme/docs/edit/main/docs/guide/a%20b.md',
  )

  assert.is(
    edit('https://gitlab.com/acme/team/docs/-/tree/main'),
    'https://gitlab.com/acme/team/docs/-/edit/main/guide/a%20b.md',
  )

  assert.is(
    edit('https://bitbucket.org/acme/docs'),
    'https://bitbucket.org/acme/docs/src/main/guide/a%20b.md?mode=edit',
  )

  assert.is(
    edit('https://codeberg.org/acme/docs'),
    'https://codeberg.org/acme/docs/_edit/main/guide/a%20b.md',
  )
})

test('a host of a company is known by its provider', () => {
  assert.is(
    edit('https://git.example.org/acme/docs', 'gitlab'),
    'https://git.example.org/acme/docs/-/edit/main/guide/a%20b.md',
  )
  assert.is(edit('https://git.example.org/acme/docs'), undefined)
  assert.is(edit('https://git.example.org/acme/docs', 'constructor'), undefined)
})

test('the address has no credentials, and branches with slashes keep them', () => {
  const remote = { url: 'https://me:secret@github.com/acme/docs', provider: null, directory: '' }
  assert.is(
    editAddress({ ...remote, ref: 'refs/heads/feature/x y' }, 'a.md'),
    'https://github.com/acme/docs/edit/feature/x%20y/a.md',
  )
  assert.is(editAddress({ ...remote, ref: 'refs/tags/v1' }, 'a.md'), undefined)
  assert.is(edit('ssh://git@github.com/acme/docs'), undefined)
  assert.is(edit('https://github.com/'), undefined)
})

test('a path is put into an address as it is, whatever characters it has', () => {
  const link = 'https://git.example.org/edit/{path}?plain=1'
  for (const [path, expected] of [
    ['guide/a b.md', 'guide/a%20b.md'],
    ['ü#?&"<{path}>.md', '%C3%BC%23%3F%26%22%3C%7Bpath%7D%3E.md'],
    ['$&/$1.md', '%24%26/%241.md'],
  ] as const)
    assert.is(filledEditLink(link, path), `https://git.example.org/edit/${expected}?plain=1`)
})

test.run()
