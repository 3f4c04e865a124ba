import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { contentReads, pathsOf } from '../../../work/requests.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { forgetPeak, openStage, peakOf, type Stage } from '../../stage.ts'

/** Returns the milliseconds of CPU time that a process has used. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const insert = (stage: Stage, space: string, markdown: string): Promise<Seen> =>
  stage.call('POST', `/v1/spaces/${space}/content`, {
    body: {
      changes: [{ operation: 'insert_page', title: 'Work', slug: 'work', document: { markdown } }],
    },
  })

/**
 * Builds a page by repeating a part and reads it evaluated, within so many milliseconds of CPU
 * time.
 */
const evaluated =
  (part: string, bytes: number, mostCpu: number) =>
  async (stage: Stage): Promise<Seen> => {
    const space = await stage.space()
    const made = await insert(stage, space, part.repeat(bytes / part.length))
    must(made.status === 200, made.text.slice(0, 300))
    const before = cpuOf(stage.pid)
    const seen = await stage.call('GET', `/v1/spaces/${space}/content/path/work?evaluated=true`, {
      as: 'reader',
    })
    const took = cpuOf(stage.pid) - before

    must(took < mostCpu, `${took} ms of work`)
    await stage.call('DELETE', `/v1/spaces/${space}`)

    return { ...seen, text: seen.text.slice(0, 200) }
  }

/** Sends a request and disconnects after some milliseconds. */
const hangUp = (stage: Stage, path: string, ms: number): Promise<void> =>
  new Promise(resolve => {
    const headers = { authorization: `Bearer ${stage.tokens.reader}` }
    const request = get(stage.url + path, { agent: false, headers }, response => response.resume())
    request.on('error', () => {})
    request.on('close', resolve)
    void setTimeout(ms).then(() => request.destroy())
  })

/** Four readers request slow pages and disconnect at once. */
async function closed(stage: Stage): Promise<Seen> {
  const space = await stage.space()
  // Every expression is different, so all of them are evaluated.
  const text = Array.from(
    { length: 120_000 },
    (_, at) => `<code class="expression">"${at}".repeat(9)</code> `,
  )
  const made = await insert(stage, space, text.join(''))
  must(made.status === 200, made.text.slice(0, 300))
  const page = `/v1/spaces/${space}/content/path/work`
  const modes = [
    'true',
    'deterministic-only',
    'true&metadata=false',
    'deterministic-only&metadata=false',
  ]

  await Promise.all(modes.map(mode => hangUp(stage, `${page}?evaluated=${mode}`, 100)))
  await setTimeout(500)
  const before = cpuOf(stage.pid)

  await setTimeout(2_000)
  const took = cpuOf(stage.pid) - before

  must(took < 500, `${took} ms of work in two seconds after all had hung up`)
  const seen = await stage.call('GET', '/healthz')

  await stage.call('DELETE', `/v1/spaces/${space}`)

  return seen
}

const tooMany =
  (markdown: string) =>
  async (stage: Stage): Promise<Seen> => {
    const space = await stage.space()
    const seen = await insert(stage, space, markdown)
    await stage.call('DELETE', `/v1/spaces/${space}`)
    return seen
  }

/** The largest accepted pages of each kind: limited by bytes, blocks or marks. */
const largest: Record<string, string> = {
  words: 'word '.repeat(1_990_000),
  lines: 'word\n'.repeat(1_990_000),
  'list items': '* a\n'.repeat(49_000),
  'empty list items': '*\n'.repeat(99_000),
  paragraphs: `${'a'.repeat(90)}\n\n`.repeat(99_000),
  headings: '## a\n\n'.repeat(99_000),
  'nested quotes': `${'> '.repeat(1_000)}a\n`.repeat(4_900),
  'rows of a table': `| a | b |\n| - | - |\n${'| a | b |\n'.repeat(99_000)}`,
  links: '[a](README.md#a) '.repeat(299_000),
  images: '![a](b.png "c") '.repeat(299_000),
  brackets: '['.repeat(299_000),
  emphasis: '*a **b _c '.repeat(990_000),
  escapes: '\\* '.repeat(3_300_000),
  HTML: '<a href="x" id="y">'.repeat(299_000),
  'inline code': '`a` '.repeat(149_000),
  tags: '{% hint style="info" %} '.repeat(299_000),
  expressions: '<code class="expression">a</code> '.repeat(149_000),
  conditions: '{% if a %}x{% endif %} '.repeat(149_000),
  fence: `\`\`\`\n${'| <a> [b](c)\n'.repeat(740_000)}\`\`\`\n`,
}

/** The maximum memory per byte of a page while it is written and read in every way, in bytes. */
const mostPerByte = 64

/**
 * A server with little memory accepts the largest page of each kind, and serves it in every way.
 */
async function small(): Promise<Seen> {
  const stage = await openStage({ nodeFlags: ['--max-old-space-size=256'] })
  const problems: string[] = []
  try {
    for (const [kind, markdown] of Object.entries(largest)) {
      const space = await stage.space()
      forgetPeak(stage.pid)
      const held = peakOf(stage.pid)
      const problem = await readEverywhere(stage, space, markdown).catch(error => String(error))
      if (!stage.alive()) return { status: 'died', text: `${kind}: ${stage.log().slice(-2_000)}` }

      const perByte = ((peakOf(stage.pid) - held) * 1024 * 1024) / markdown.length

      if (process.env.TRACE)
        console.log(
          `     ${kind}: ${markdown.length} bytes, ${perByte.toFixed(0)} per byte, peak ${peakOf(stage.pid).toFixed(0)} MB`,
        )

      // Small pages mean nothing: the base memory of the server would count for them.
      if (markdown.length > 1_000_000 && perByte > mostPerByte)
        problems.push(`${kind}: ${perByte.toFixed(0)} bytes a byte`)
      if (problem) problems.push(`${kind}: ${problem}`)
      await stage.call('DELETE', `/v1/spaces/${space}`)
    }
  } finally {
    await stage.stop()
  }

  return { status: problems.length === 0 ? 'alive' : 'failed', text: problems.join('; ') }
}

async function readEverywhere(
  stage: Stage,
  space: string,
  markdown: string,
): Promise<string | undefined> {
  const made = await insert(stage, space, markdown)
  if (made.status !== 200) return `${made.status} ${made.text.slice(0, 300)}`
  const page = JSON.parse((await stage.call('GET', `/v1/spaces/${space}/content/path/work`)).text)
  const head = JSON.parse((await stage.call('GET', `/v1/spaces/${space}/content`)).text)
  const request = await stage.call('POST', `/v1/spaces/${space}/change-requests`, {
    body: { subject: 'Work' },
  })
  const changeRequestId = String(JSON.parse(request.text).number)
  const ids = { spaceId: space, changeRequestId, revisionId: head.id, pageId: page.id }

  for (const key of contentReads.filter(each => !each.endsWith('/pdf')))
    for (const path of pathsOf(key, ids)) {
      const seen = await stage.call('GET', path.replace(/path\/page/, 'path/work'), {
        as: 'reader',
      })
      if (![200, 413, 503].includes(seen.status as number))
        return `${path}: ${seen.status} ${seen.text.slice(0, 200)}`
    }

  return undefined
}

/** Small requests that must not cause endless work or unlimited memory. */
export const workLines: Line[] = [
  line(
    'S150',
    '1 MB of expressions on one line',
    200,
    'a second of work',
    evaluated('<code class="expression">a</code> ', 1_000_000, 4_000),
  ),
  line(
    'S151',
    '1 MB of conditions on one line',
    200,
    'a second of work',
    evaluated('{% if a %}x{% endif %} ', 1_000_000, 4_000),
  ),
  line('S152', 'four readers who hang up', 200, 'the work ends with them', closed),
  line(
    'S153',
    '9.9 MB of list items',
    413,
    /more than 100,000 blocks/,
    tooMany('* a\n'.repeat(2_475_000)),
  ),
  line(
    'S153',
    '9.9 MB of links',
    413,
    /more than 300,000 links/,
    tooMany('[](a)\n'.repeat(1_650_000)),
  ),
  line('S153', 'the largest pages, in 256 MB', 'alive', 'the server lives', small, {
    slow: true,
    mostWait: 60_000,
    mostMs: 1_200_000,
  }),
]
