import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { droning, homeEntries, sendingPack } from '../../../support/git/raw-pack.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { file, makeRepository } from '../../objects.ts'
import type { Stage } from '../../stage.ts'
import { inner, strict } from '../http/addresses.ts'

const inside = /private or reserved/

/**
 * Requests everything that connects to a host; returns the last answer once all of them are
 * refusals.
 */
const everywhere = (url: string) => async (): Promise<Seen> => {
  const stage = await strict()
  const space = `/v1/spaces/${await stage.space()}`
  const changes = [
    { operation: 'insert_files', files: [{ name: 'a.png', contentType: 'image/png', url }] },
  ]
  const secret = 'a secret of the receiver'
  const answers = [
    await stage.call('POST', `${space}/git/import`, { body: { url, ref: 'refs/heads/main' } }),
    await stage.call('POST', `${space}/content`, { body: { changes } }),
    await stage.call('POST', '/v1/orgs/acme/webhooks', { body: { url, events: ['*'], secret } }),
    await stage.call('PUT', '/v1/orgs/acme/openapi/nowhere', { body: { source: { url } } }),
  ]

  for (const { status, text } of answers)
    must(
      (status === 400 || status === 403) && /private or reserved|port/.test(text),
      `${status} ${text}`,
    )

  return answers[1] as Seen
}

/** Waits for the answer that `is` accepts. */
async function settled(
  stage: Stage,
  as: string,
  path: string,
  is: (text: string) => boolean,
): Promise<Seen> {
  for (;;) {
    const seen = await stage.call('GET', path, { as })
    if (is(seen.text)) return seen
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** Creates a space that the editor may edit. */
async function editable(stage: Stage): Promise<string> {
  const space = await stage.space()
  const seen = await stage.call('POST', `/v1/spaces/${space}/permissions`, {
    body: { role: 'edit', users: ['editor'] },
  })
  must(seen.status === 204, `${seen.status} ${seen.text}`)
  return space
}

/**
 * An editor names 48 files on hosts whose names are never answered; an admin's webhook is delivered
 * before that ends.
 */
const slowNames = async (): Promise<Seen> => {
  const stage = await inner()
  const space = await editable(stage)
  let ended = 0
  const slow = Array.from({ length: 3 }, async (_, i) => {
    const files = Array.from({ length: 16 }, (_, j) => ({
      name: `${i}-${j}.txt`,
      url: `http://${i}-${j}.slow.example/x`,
    }))
    const body = { changes: [{ operation: 'insert_files', files }] }
    const seen = await stage.call('POST', `/v1/spaces/${space}/content`, { as: 'editor', body })
    ended++
    return seen
  })
  let endedBefore: number | undefined
  const receiver = createServer((_, response) => {
    endedBefore ??= ended
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')

  await new Promise(resolve => receiver.once('listening', resolve))

  try {
    // The names are being resolved.
    await new Promise(resolve => setTimeout(resolve, 500))
    const url = `http://fast.example:${(receiver.address() as AddressInfo).port}/`
    const made = await stage.call('POST', '/v1/orgs/acme/webhooks', {
      body: { url, events: ['space_updated'], secret: 'a secret of the receiver' },
    })
    must(made.status === 201, `the webhook was answered ${made.status} ${made.text}`)
    const path = `/v1/orgs/acme/webhooks/${JSON.parse(made.text).id}`
    const { text } = await stage.call('POST', `${path}/ping`)

    await settled(stage, 'admin', `${path}/deliveries/${JSON.parse(text).id}`, said =>
      said.includes('"success"'),
    )
    const answers = await Promise.all(slow)

    must(endedBefore === 0, `the webhook waits for the names of the editor: ${answers[0]?.text}`)
    must(
      answers.every(({ status }) => status === 400),
      'a file is fetched',
    )

    return answers[0] as Seen
  } finally {
    receiver.close()
    receiver.closeAllConnections()
  }
}

/**
 * Six hosts send slowly to an editor; meanwhile a description is read and another organization
 * imports.
 */
const drips = async (stage: Stage): Promise<Seen> => {
  const repo = makeRepository(stage.folder, 'beside-drips')
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  const { mode } = stage.host
  const drip = sendingPack(homeEntries().commit, droning())

  stage.host.mode = (request, response) =>
    !request.url?.startsWith('/drip') || drip(request, response)

  try {
    const path = '/v1/orgs/acme/openapi/beside-drips'
    const spaces = await Promise.all(Array.from({ length: 6 }, () => editable(stage)))
    const asked = await Promise.all(
      spaces.map(space =>
        stage.call('POST', `/v1/spaces/${space}/git/import`, {
          as: 'editor',
          body: { url: `${stage.host.origin}/drip.git`, ref: 'refs/heads/main' },
        }),
      ),
    )

    must(
      asked.every(({ status }) => status === 204),
      JSON.stringify(asked[0]),
    )
    const source = { text: '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}' }
    const put = await stage.call('PUT', path, { body: { source } })

    must(put.status === 201, `${put.status} ${put.text}`)
    await settled(stage, 'admin', path, said => said.includes('"complete"'))
    const made = await stage.call('POST', '/v1/orgs/globex/spaces', {
      as: 'stranger',
      body: { title: 'T' },
    })

    const started = await stage.call('POST', `/v1/spaces/${JSON.parse(made.text).id}/git/import`, {
      as: 'stranger',
      body: { url: `${stage.host.origin}/beside-drips.git`, ref: 'refs/heads/main' },
    })
    const own = new URL(started.headers?.location ?? '').pathname

    await settled(stage, 'stranger', own, said => said.includes('"success"'))
    const dripping = new URL(asked[0]?.headers?.location ?? '').pathname

    return await settled(stage, 'editor', dripping, said => said.includes('"failure"'))
  } finally {
    stage.host.mode = mode
  }
}

/** Background work and its connections. */
export const backgroundLines: Line[] = [
  line(
    'S110',
    'an IPv4-translated loopback address',
    400,
    inside,
    everywhere('https://[::ffff:0:127.0.0.1]/'),
  ),
  line('S111', 'an SRv6 address', 400, inside, everywhere('https://[5f00::1]/')),
  line('S112', 'a documentation address', 400, inside, everywhere('https://[3fff::1]/')),
  line('S113', 'an ORCHID address', 400, inside, everywhere('https://[2001:20::1]/')),
  line('S114', 'a benchmarking address', 400, inside, everywhere('https://[2001:2::1]/')),
  line('S114', 'the port of a mail server', 400, /port/, everywhere('https://93.184.216.34:25/')),
  line(
    'S126',
    '48 slow host names from an editor',
    400,
    "an admin's webhook is delivered meanwhile",
    slowNames,
  ),
  line('S128', 'six slowly responding hosts from an editor', 200, /too slowly/, drips, {
    slow: true,
    mostMs: 300_000,
  }),
]
