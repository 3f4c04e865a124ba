import { request } from 'node:http'
import { type Line, line, must, type Seen } from '../../line.ts'
import { openStage, type Stage } from '../../stage.ts'
import { measureWaits } from '../../waits.ts'
import { publishText } from '../pages/tools.ts'
import { done } from '../sites/tools.ts'

/** A page near the largest that is accepted, of the kind that needs most memory. */
const table = (bytes: number): string =>
  `| Name | Value |\n| - | - |\n${'| name | value |\n'.repeat(Math.ceil(bytes / 17))}`

type Answer = { status: number; ms: number; retryAfter: string | undefined }

/** Asks once, as the client at an address. The answer is read and dropped. */
function ask(stage: Stage, path: string, headers: Record<string, string>): Promise<Answer> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(stage.url + path, { agent: false, headers }, answer => {
      answer.resume().on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          ms: performance.now() - begun,
          retryAfter: answer.headers['retry-after'],
        }),
      )
    })

    sent.on('error', reject)
    sent.end()
  })
}

const encodings = ['br', 'gzip', 'identity']

type Storm = { strangers: number; seconds: number; bytes: number }

/** What strangers ask for, each time with another query. */
type Target = (query: string) => string

/** Publishes a large page, and returns what strangers can ask for of it. */
async function publishLarge(
  stage: Stage,
  bytes: number,
): Promise<{ space: string; targets: Target[] }> {
  const { site, base, path } = await publishText(stage, table(bytes))
  const { space } = site
  await done(stage, `PATCH /v1/orgs/acme/sites/${site.id}`, { timeTravel: 'readers' })
  const before = (await done(stage, `GET /v1/spaces/${space}`)).revision
  const page = (await done(stage, `GET /v1/spaces/${space}/content/path/evil`)).id
  const document = { markdown: table(bytes).replaceAll('value', 'other') }

  await done(stage, `POST /v1/spaces/${space}/content`, {
    changes: [{ operation: 'update_page', page, document }],
  })
  const after = (await done(stage, `GET /v1/spaces/${space}`)).revision

  return {
    space,
    targets: [
      query => `${path}?tag=${query}`,
      query => `${base}~/compare/${before}...${after}/evil?tag=${query}`,
      query => `${base}~gitbook/search?q=name+${query}`,
      query => `${base}llms-full.txt?${query}`,
      query => `${path}?utm_source=${query}`,
      query => `${base}not-here-${query}`,
    ],
  }
}

/**
 * Strangers at addresses of their own ask without a pause, while a member reads a page that is
 * kept.
 */
const storm =
  ({ strangers, seconds, bytes }: Storm, { isTimed }: { isTimed: boolean }) =>
  async (): Promise<Seen> => {
    const stage = await openStage({
      nodeFlags: ['--max-old-space-size=256'],
      env: { STEMMA_TRUST_PROXY: '1' },
    })
    const waits = measureWaits(stage)
    try {
      const { space, targets } = await publishLarge(stage, bytes)
      await waits.longest()
      const until = performance.now() + seconds * 1_000
      const counts = new Map<number, number>()
      const stranger = async (at: number) => {
        for (let turn = 0; performance.now() < until; turn++) {
          const target = targets[(at + turn) % targets.length] as Target
          const answer = await ask(stage, target(`${at}-${turn}`), {
            'x-forwarded-for': `198.51.100.${at + 1}`,
            'accept-encoding': encodings[at % 3] as string,
            accept: 'text/html',
          })

          counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
          if (answer.status === 503 || answer.status === 429)
            must(Number(answer.retryAfter) > 0, `${answer.status} without a time to try again`)
        }
      }
      const times: number[] = []
      const member = async () => {
        const headers = { authorization: `Bearer ${stage.tokens.reader}` }
        while (performance.now() < until) {
          const { status, ms } = await ask(
            stage,
            `/v1/spaces/${space}/content/path/readme`,
            headers,
          )
          must(status === 200, `the member gets ${status}`)
          times.push(ms)
          await new Promise(resolve => setTimeout(resolve, 20))
        }
      }
      const all = [member(), ...Array.from({ length: strangers }, (_, at) => stranger(at))]

      await Promise.all(all).catch(error => {
        must(stage.alive(), `the server is dead: ${stage.log().slice(-500)}`)
        throw error
      })
      must(stage.alive(), `the server is dead: ${stage.log().slice(-500)}`)
      const seen = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
      const wrong = [...counts.keys()].filter(status => ![200, 304, 404, 429, 503].includes(status))

      must(wrong.length === 0, seen)
      const { wait, busy } = await waits.longest()
      const p99 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] as number
      const text = `${seen}; /healthz ${Math.round(wait)} ms (${Math.round(busy)} of work), member p99 ${Math.round(p99)} ms of ${times.length}`
      if (process.env.TRACE) console.log(`     ${text}`)

      // The short round runs beside other tests, where times mean little.
      if (isTimed) must(wait < 200 && p99 < 100, text)

      return { status: 200, text }
    } finally {
      waits.end()
      await stage.stop()
    }
  }

const effect = 'the server lives and answers others'

export const storms: Line[] = [
  line(
    'T205',
    '64 strangers with distinct queries on the largest page, its comparison, search and texts, in a heap of 256 MB',
    200,
    effect,
    storm({ strangers: 64, seconds: 30, bytes: 440_000 }, { isTimed: true }),
    { slow: true, mostMs: 180_000 },
  ),
  line(
    'T206',
    '24 strangers with distinct queries on a table of 60 kB, in a heap of 256 MB',
    200,
    effect,
    storm({ strangers: 24, seconds: 4, bytes: 60_000 }, { isTimed: false }),
  ),
]
