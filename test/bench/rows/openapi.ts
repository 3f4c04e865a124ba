import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clocked, type Figure, median, type Pace } from '../figure.ts'
import { type Stemma, withStemma } from '../stemma.ts'

/** The number of paths in a description of five megabytes. */
const paths = 4_600
const mostSeconds = 5
const mostWait = 50

/**
 * Reads a description from a URL until its pages can be generated, and the delay of other requests
 * meanwhile.
 */
export const openapiRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const taken: number[] = []
    const waits: number[] = []
    let megabytes = 0

    for (let round = 0; round < Math.min(3, pace.rounds); round++) {
      const text = description(`Round ${round}`)
      megabytes = text.length / 1024 ** 2
      const { ms, wait } = await processOnce(stemma, text)
      taken.push(ms)
      waits.push(wait)
    }

    const size = `a description of ${megabytes.toFixed(1)} MB, ${2 * paths} operations`

    return [
      {
        work: `${size}: fetched, checked, kept and taken apart`,
        value: median(taken) / 1000,
        unit: 's',
        target: { of: 'figure', is: 'under', value: mostSeconds },
      },
      {
        work: `${size}: the longest that another request takes meanwhile`,
        value: median(waits),
        unit: 'ms',
        target: { of: 'figure', is: 'under', value: mostWait },
      },
    ]
  })

async function processOnce(stemma: Stemma, text: string): Promise<{ ms: number; wait: number }> {
  const server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const path = '/v1/orgs/default/openapi/large'
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`
  let wait = 0

  try {
    const ms = await clocked(async () => {
      await stemma.caller.json('PUT', path, { body: { source: { url } }, status: [200, 201] })
      for (;;) {
        const answer = await stemma.caller.call('GET', path)
        wait = Math.max(wait, answer.ms)
        const spec = JSON.parse(answer.bytes.toString())
        if (spec.lastProcessErrorCode) throw new Error(spec.lastProcessedErrors[0].message)
        if (spec.processingState === 'complete') break
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    })
    return { ms, wait }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function description(title: string): string {
  const text = { type: 'string', description: 'What it is called, as people say it. '.repeat(2) }
  const schema = (n: number) => ({
    type: 'object',
    required: ['id'],
    properties: {
      id: text,
      name: text,
      next: { $ref: `#/components/schemas/Thing${(n + 1) % paths}` },
      tags: { type: 'array', items: text },
    },
  })
  const content = (n: number) => ({
    'application/json': { schema: { $ref: `#/components/schemas/Thing${n}` } },
  })
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const item = (n: number) => ({
    parameters: [id],
    get: {
      operationId: `get${n}`,
      tags: [`Group ${n % 50}`],
      summary: `Get thing ${n}`,
      responses: { 200: { description: 'The thing.', content: content(n) } },
    },
    put: {
      operationId: `put${n}`,
      tags: [`Group ${n % 50}`],
      summary: `Put thing ${n}`,
      requestBody: { content: content(n) },
      responses: { 204: { description: 'It is put.' } },
    },
  })
  const each = <Value>(name: (n: number) => string, value: (n: number) => Value) =>
    Object.fromEntries(Array.from({ length: paths }, (_, n) => [name(n), value(n)]))

  return JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    paths: each(n => `/things/${n}/{id}`, item),
    components: { schemas: each(n => `Thing${n}`, schema) },
  })
}
