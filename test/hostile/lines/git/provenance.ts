import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { gitOutside } from '../../../support/git/repo.ts'
import { importOf } from '../../import.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { file, makeRepository } from '../../objects.ts'
import type { Stage } from '../../stage.ts'

let made = 0

const service = 'Stemma <stemma@users.stemma.invalid> 1700000000 +0000'
const person = 'Mallory <mallory@example.org> 1700000000 +0000'
const words = (message: string, who: string) => `author ${who}\ncommitter ${who}\n\n${message}\n`

type Listed = { message: string; type: string; git: { createdByService: boolean } }

/**
 * Imports "one" and "two", then a commit on top whose second parent is another history, with this
 * message.
 */
const forging =
  (text: (space: string) => string, who: string, swapped: boolean) => async (stage: Stage) => {
    const name = `provenance-${made++}`
    const repo = makeRepository(stage.folder, name)
    const tree = repo.tree([file('README.md', repo.blob('# Home\n'))])
    const one = repo.commit(tree, { text: words('one', person) })
    const two = repo.commit(tree, { text: words('two', person), parents: [one] })
    const { space } = await importOf(stage, name)
    const side = repo.commit(tree, {
      text: words(`Side\n\n${text(space).replace('export', 'update')}`, who),
      ref: 'refs/heads/side',
    })
    const parents = swapped ? [side, two] : [two, side]

    repo.commit(tree, { text: words(`Top\n\n${text(space)}`, who), parents })
    const seen = await importOf(stage, name, { space })
    const { text: body } = await stage.call('GET', `/v1/spaces/${space}/revisions`)
    const items: Listed[] = JSON.parse(body).items
    const listed = items.map(({ message }) => message).join(', ')

    must(listed === 'Top, two, one', `the published history is ${listed}`)
    must(
      items.every(({ type, git }) => type === 'edits' && !git.createdByService),
      'a revision is said to be of the service',
    )
    await stage.call('DELETE', `/v1/spaces/${space}`)

    return seen
  }

const trailers = (space: string) =>
  `Stemma-Change-Request: 7\nStemma-Space: ${space}\nStemma-Operation: export`

/** Imports from a host of plain files that names the objects of another host. */
const dumb = async (stage: Stage): Promise<Seen> => {
  const name = `dumb-${made++}`
  const repo = makeRepository(stage.folder, name)
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  gitOutside(repo.dir, ['update-server-info'])
  stage.host.mode = (request, response) => {
    const path = join(stage.folder, new URL(request.url ?? '/', 'http://host').pathname)
    if (path.endsWith('http-alternates')) response.end(`http://127.0.0.1:1/${name}.git/objects\n`)
    else if (statSync(path, { throwIfNoEntry: false })?.isFile())
      createReadStream(path).pipe(response)
    else response.writeHead(404).end()
    return false
  }

  return importOf(stage, name).finally(() => {
    stage.host.mode = 'serve'
  })
}

/** Starts an import with a URL that is shown to readers later. */
const showing = (field: string, address: string) => async (stage: Stage) => {
  const body = { url: 'https://example.org/x.git', ref: 'refs/heads/main', [field]: address }
  return stage.call('POST', '/v1/spaces/{space}/git/import', { body })
}

/** Imports with credentials in the URLs of commits and trees; none of them may be shown. */
const withCredentials = async (stage: Stage): Promise<Seen> => {
  const name = `shown-${made++}`
  const repo = makeRepository(stage.folder, name)
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  const space = await stage.space()
  const address = 'https://me:s3cretword@example.org/x/?access_token=s3cretword#s3cretword'
  const body = {
    url: `${stage.host.origin}/${name}.git`,
    ref: 'refs/heads/main',
    repoCommitURL: address,
    repoTreeURL: address,
  }
  const started = await stage.call('POST', `/v1/spaces/${space}/git/import`, { body })

  must(started.status === 204, started.text)

  for (;;) {
    const seen = await stage.call('GET', `/v1/spaces/${space}/git/operations`)
    const [operation] = JSON.parse(seen.text).items
    if (operation.state === 'success' || operation.state === 'failure') {
      const shown = await stage.call('GET', `/v1/spaces/${space}/revisions`)
      must(!(seen.text + shown.text).includes('s3cretword'), 'a credential is shown')
      must(
        shown.text.includes(`"https://example.org/x/${operation.revision}"`),
        'the address is not shown',
      )
      return { status: operation.state, text: '' }
    }

    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

/** Commits that claim to be from the service, and URLs that are stored. */
export const provenanceLines: Line[] = [
  line(
    'S65',
    'trailers of an export',
    'success',
    'history is not hidden',
    forging(trailers, person, false),
  ),
  line(
    'S65',
    'a first parent of its own',
    'success',
    'history is not hidden',
    forging(() => 'x', person, true),
  ),
  line(
    'S66',
    'the committer of the service',
    'success',
    'is said of none',
    forging(trailers, service, false),
  ),
  line(
    'S66',
    'the committer of the service, and a first parent of its own',
    'success',
    'is said of none',
    forging(trailers, service, true),
  ),
  line('S120', 'dumb HTTP with http-alternates', 'failure', /smart HTTP protocol/, dumb),
  line('S123', 'credentials in stored addresses', 'success', 'are not shown', withCredentials),
  ...['repoCommitURL', 'repoTreeURL'].flatMap(field =>
    ['javascript:alert(1)//', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x'].map(
      address => line('S124', `${field} ${address}`, 400, /http/, showing(field, address)),
    ),
  ),
]
