import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { hasPoppler, textOfPdf } from '../../support/media/poppler.ts'

// Blocks that show operations of specs in files of the space.

const app = await startApp()
test.after(() => app.stop())

const yaml = `openapi: 3.0.3
info: {title: Pets, version: 1.0}
servers: [{url: "https://pets.example:{port}", variables: {port: {default: 8443}}}]
paths:
  /pets:
    get:
      summary: List all pets
      responses: {"200": {description: Fine, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
  /cats: {$ref: "parts/cats.yaml#/cats"}
components: {schemas: {Pet: {type: object, properties: {name: {type: string}}}}}
`
const swagger = JSON.stringify({
  swagger: '2.0',
  info: { title: 'Old', version: '1' },
  paths: { '/dogs': { post: { summary: 'Add a dog', responses: { 200: { description: 'ok' } } } } },
})
const block = (src: string, path = '/pets', method = 'get', name = 'openapi') =>
  `{% ${name} src="${src}" path="${path}" method="${method}" %}\n[spec](${src})\n{% end${name} %}\n`

const files = {
  'SUMMARY.md':
    '# Table of contents\n\n* [Start](README.md)\n* [Home](home.md)\n* [Deep](guide/deep.md)\n* [Wrong](wrong.md)\n',
  'README.md': '# Start\n',
  'home.md': `# Home\n\n${block('./.gitbook/assets/pets.yaml')}\n${block('.gitbook/assets/pets.yaml', '/cats')}\nEnd.\n`,
  'guide/deep.md': `# Deep\n\n${block('../.gitbook/assets/pets.yaml')}\n${block('/api%20specs/old.json', '/dogs', 'post', 'swagger')}\n{% openapi-operation src="../api%20specs/old.json" path="/dogs" method="POST" %}\n\n{% openapi-schemas src="../.gitbook/assets/pets.yaml" schemas="Pet" %}\n{% endopenapi-schemas %}\n`,
  'wrong.md': `# Wrong\n\n${block('.gitbook/assets/pets.yaml', '/none')}\n${block('no.yaml')}\n${block('plain.yaml')}\n${block('https://example.org/a.yaml')}\n`,
  '.gitbook/assets/pets.yaml': yaml,
  '.gitbook/assets/parts/cats.yaml':
    'cats: {get: {summary: List all cats, responses: {"200": {description: Fine}}}}\n',
  'api specs/old.json': swagger,
  'plain.yaml': 'a: 1\n',
}

const { api, repo } = await makeSpace(app, files, 'Reference')
const textAt = async (path: string) => {
  const { status, body } = await app.admin.get(`${api}/content/path/${path}?evaluated=true`)
  assert.is(status, 200, JSON.stringify(body))
  return body.markdown as string
}

test('operations of a spec in a file are written out', async () => {
  const home = await textAt('home')
  for (const words of ['## List all pets', '`GET` `/pets`', 'https://pets.example:8443', 'End.'])
    assert.match(home, words)
  assert.match(home, '## List all cats', 'the spec refers to another file')
  assert.not.match(home, '{% openapi')
  const deep = await textAt('deep')
  assert.match(deep, '## List all pets')
  assert.is(deep.split('## Add a dog').length, 3)
  assert.match(deep, '## Pet')
  assert.not.match(deep, '{% openapi')
})

test('what cannot be shown stays, and is a finding', async () => {
  const text = await textAt('wrong')
  assert.match(text, '{% openapi src=".gitbook/assets/pets.yaml" path="/none"')
  assert.match(text, '{% openapi src="no.yaml"')
  assert.match(text, '[GET /pets](<https://example.org/a.yaml>)')
  const { body } = await app.admin.get(`${api}/content/findings`)
  const items = body.items as { file: string; line: number; kind: string; message: string }[]
  const found = items.map(({ file, line, kind, message }) => `${file}:${line} ${kind} ${message}`)
  assert.equal(
    found.filter(each => / (?:missing-operation|broken-link) /.test(each)),
    [
      'wrong.md:3 missing-operation ".gitbook/assets/pets.yaml" has no operation "GET /none".',
      'wrong.md:7 broken-link "no.yaml" does not exist.',
      'wrong.md:8 broken-link "no.yaml" does not exist.',
      'wrong.md:11 missing-operation "plain.yaml" cannot be shown: The file is not an OpenAPI spec: it has neither "openapi" nor "swagger".',
    ],
  )
})

test('the spec is that of the revision of the page', async () => {
  const old = (await app.admin.get(`${api}/content`)).body.id as string
  const changed = yaml.replace('List all pets', 'List some pets')
  await commitFiles(repo, { '.gitbook/assets/pets.yaml': changed })
  assert.match(await textAt('home'), '## List some pets')
  const { body } = await app.admin.get(`${api}/revisions/${old}/path/home?evaluated=true`)
  assert.match(JSON.stringify(body), 'List all pets')
  await commitFiles(repo, {
    '.gitbook/assets/parts/cats.yaml': 'cats: {get: {summary: No cats}}\n',
  })
  assert.match(await textAt('home'), '## No cats', 'a file that the spec refers to has changed')
})

test('the PDF has the operations', async () => {
  const { url } = (await app.admin.get(`${api}/pdf`)).body as { url: string }
  const reply = await fetch(url)
  assert.is(reply.status, 200)
  const pdf = Buffer.from(await reply.arrayBuffer())
  if (!hasPoppler()) return
  const text = textOfPdf(pdf).join('\n')
  for (const words of ['List some pets', 'No cats', 'Add a dog']) assert.match(text, words)
})

test.run()
