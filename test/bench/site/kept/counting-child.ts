import type { IncomingMessage } from 'node:http'
import { ReadyAnswer } from '../../../../src/http/sending/ready-answer.ts'
import type { SitePlace } from '../../../../src/site/place/place.ts'
import { countable, countRead } from '../../../../src/site/sending/count-read.ts'
import { median } from '../../figure.ts'
import { withContext } from '../rendering.ts'

const views = 200_000
const [dataDir = '', pages = '100', rounds = '5'] = process.argv.slice(2)

const ms = await withContext(dataDir, async ctx => {
  const place = {
    resolved: { site: { id: 'site' }, siteSpace: { row: { id: 'space' } } },
  } as SitePlace
  const answers = Array.from({ length: Number(pages) }, (_, at) => {
    const bytes = Buffer.from('<p>Page</p>')
    const answer = new ReadyAnswer({ status: 200, etag: `page-${at}`, bytes, headers: {} })
    countable(place, answer, { kind: 'page_view', pageId: `page-${at}` })
    return answer
  })
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
  const req = { method: 'GET', headers: { 'user-agent': agent } } as unknown as IncomingMessage
  const taken: number[] = []
  for (let round = 0; round < Number(rounds) + 2; round++) {
    const { user } = process.cpuUsage()
    for (let view = 0; view < views; view++) countRead(ctx, req, answers[view % answers.length]!)
    // The compiler is busy with the first rounds.
    if (round > 1) taken.push((process.cpuUsage().user - user) / 1_000 / views)
  }
  return median(taken)
})
process.send?.(ms)
process.disconnect?.()
