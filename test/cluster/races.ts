import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '../../src/actions/people/create-token.ts'
import { type Running, startStemma } from '../cli/stemma.ts'
import { nodeSettings } from '../postgres/nodes.ts'
import { openRaceBench } from '../postgres/race/nodes.ts'
import { peopleRules } from '../postgres/race/people-rules.ts'
import { placeRules } from '../postgres/race/place-rules.ts'
import type { Rule } from '../postgres/race/rule.ts'
import { send } from '../support/http/send.ts'
import { readOptions } from '../support/read-options.ts'

const rules = [...peopleRules, ...placeRules].filter(({ isInner }) => !isInner)

/**
 * Sends two requests that together may break a rule to two servers at the same time, many times for
 * each rule.
 */
export async function checkRaces(usage: string, args: readonly string[]): Promise<void> {
  const given = readOptions(
    usage,
    {
      runs: { type: 'string' },
      only: { type: 'string', default: '' },
      control: { type: 'boolean', default: false },
    },
    args,
  )
  const isolation = given.control ? 'read committed' : 'serializable'
  const folder = mkdtempSync(join(tmpdir(), 'stemma-race-servers-'))
  const bench = await openRaceBench()
  const [here] = await bench.open(isolation)
  const servers: Running[] = []
  const serve = async () => {
    const server = startStemma(['serve'], {
      STEMMA_DATA: mkdtempSync(join(folder, 'node-')),
      STEMMA_DATABASE: bench.url(here),
      ...nodeSettings,
      ...(given.control && { STEMMA_TEST_READ_COMMITTED: '1' }),
      PORT: '0',
      STEMMA_LOG: 'silent',
    })
    servers.push(server)
    return (await server.says(/http:\/\/127\.0\.0\.1:\d+/))[0]
  }
  const urls = [await serve(), await serve()]
  const statuses = new Map<number, number>()
  const nodes = urls.map(url => ({
    ...here,
    operation: async (userId: string, asked: string, body: object = {}) => {
      const { secret } = createToken(here.store, { userId, name: 'race' }, here.now())
      const [method = '', path = ''] = asked.split(' ')
      return async () => {
        const { status, text } = await send(`${url}/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: method === 'DELETE' ? undefined : JSON.stringify(body),
        })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status >= 500) throw new Error(`${asked}: ${status} ${text}`)
        return status < 300
      }
    },
  }))

  const failed: string[] = []
  for (const [number, rule] of rules.entries()) {
    if (!rule.name.includes(given.only)) continue
    let broken = 0
    for (let run = 0; run < Number(given.runs ?? 100); run++) {
      const id = `r${number}x${run}`
      const found = await race(nodes as never, rule, id).catch(String)
      if (found === undefined) continue
      broken++
      if (!given.control) failed.push(`${rule.name}: ${found}`)
    }
    console.log(`${broken} times broken: ${rule.name}`)
    if (given.control && broken > 0) failed.push(rule.name)
  }
  console.log(
    `answers: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`,
  )
  for (const server of servers) {
    server.kill('SIGTERM')
    await server.ended
  }
  bench.stop()
  rmSync(folder, { recursive: true, force: true })
  for (const line of failed.slice(0, 20))
    console.log(`${given.control ? 'breaks' : 'FAIL'} ${line}`)
  if (given.control ? failed.length === 0 : failed.length > 0) process.exit(1)
}

/** Runs both works at once. Returns what is wrong afterwards. */
async function race(
  nodes: Parameters<Rule['prepare']>[0],
  rule: Rule,
  id: string,
): Promise<string | undefined> {
  const { works, broken } = await rule.prepare(nodes, id)
  const done = (await Promise.all(works.map(work => work()))).filter(Boolean).length
  const isRight = rule.done === 'one' ? done === 1 : done >= 1
  return broken() ?? (isRight ? undefined : `${done} of two are done`)
}
