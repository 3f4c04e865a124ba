import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

// Specs in files of a space that are unusual, hostile, many, or change.

const app = await startApp()
test.after(() => app.stop())

const spec = (summary: string, path = '/a') =>
  `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths: {"${path}": {get: {summary: ${summary}, responses: {"200": {description: ok}}}}}\n`
const referring = (ref: string) =>
  `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths: {"/a": {$ref: "${ref}"}, "/own": {get: {summary: My own, responses: {"200": {description: ok}}}}}\n`
const block = (src: string, path = '/a') =>
  `{% openapi-operation src="${src}" path="${path}" method="get" %}\n{% endopenapi-operation %}\n`

test('a reference with a bare percent sign names a file or is a problem of the spec', async () => {
  const refs = ['100%.yaml', '%zz.yaml', '%', '%ff%fe.yaml', 'a%00b.yaml', '%2e%2e/%2e%2e/x.yaml']
  const files = Object.fromEntries(
    refs.flatMap((ref, i) => [
      [`p${i}.md`, `# P${i}\n\n${block(`s${i}.yaml`, '/own')}\n${block(`s${i}.yaml`)}`],
      [`s${i}.yaml`, referring(`${ref}#/x`)],
    ]),
  )
  const item = 'x: {get: {summary: From percent, responses: {"200": {description: ok}}}}\n'
  const { api } = await makeSpace(app, { ...files, '100%.yaml': item }, 'Percent')

  for (const i of refs.keys()) {
    const { status, body } = await app.admin.get(`${api}/content/path/p${i}?evaluated=true`)
    assert.is(status, 200, refs[i])
    assert.match(body.markdown, '## My own', refs[i])
    assert.is(body.markdown.includes('## From percent'), i === 0, refs[i])
  }
  const { status } = await app.admin.get(`${api}/content/findings`)
  assert.is(status, 200)
})

test('equal pages in two folders show the spec of their own folder', async () => {
  const page = `# Reference\n\n${block('./spec.yaml')}`
  const { api, space } = await makeSpace(
    app,
    {
      'SUMMARY.md':
        '* [Start](README.md)\n* [One](v1/api.md)\n* [Two](v2/api.md)\n* [Again](v2/api.md)\n',
      'README.md': '# Start\n',
      'v1/api.md': page,
      'v2/api.md': page,
      'v1/spec.yaml': spec('First version'),
      'v2/spec.yaml': spec('Second version'),
    },
    'Versions',
  )
  const site = await publishedSite(app, [space.id])
  const reader = readerOf(app, site.id)
  const { status, body } = await reader.get(`${api}/content/pages?format=markdown`)
  assert.is(status, 200)
  const texts = (body.pages as { path: string; markdown: string }[]).map(
    ({ path, markdown }) => `${path} ${/## (.*)/.exec(markdown)?.[1]}`,
  )
  assert.equal(texts.slice(1, 3), ['v1-api First version', 'v2-api Second version'])
  for (const { markdown = '' } of body.pages) assert.not.match(markdown, '{%')
})

test.run()
