import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { judgeOf, weightSteps } from '../../../src/content/search/weights.ts'
import { searchTerms } from '../../../src/content/search/words.ts'
import { inSlices } from '../../../src/lib/slices.ts'

type Page = Partial<Parameters<typeof weightSteps>[0]>

const weigh = ({ named = 'Page', description = '', sections = [] }: Page): Promise<string> =>
  inSlices(weightSteps({ named, description, sections }))
const body = (text: string) => [{ heading: '', anchor: '', body: text }]
const filler = 'Some text that is about other things. '.repeat(40)

async function scoreOf(query: string, page: Page, path = ''): Promise<number> {
  return judgeOf(searchTerms(query))(await weigh(page), path).score
}

test('words are found by the whole word, and by its beginning at the end of a query', async () => {
  const page = { sections: body('Alpha alphabet beta gamma épée node.js 資料表') }
  for (const query of ['alpha', 'alphab', 'bet', 'GAMMA', 'epee', 'node.js', 'js alpha', '資料'])
    assert.ok((await scoreOf(query, page)) > 0, query)
  for (const query of ['alp x', 'lpha', 'zeta', 'alphabets', '料資', 'a0'])
    assert.equal(judgeOf(searchTerms(query))(await weigh(page), '').lacks.length > 0, true, query)
})

test('titles weigh most, then descriptions, paths, headings, and the beginning of a text', async () => {
  const text = (at: 'start' | 'end') =>
    body(at === 'start' ? `ocelot ${filler}` : `${filler} ocelot`)
  const scores = [
    await scoreOf('ocelot', { named: 'Ocelot', sections: body(filler) }),
    await scoreOf('ocelot', { description: 'The ocelot', sections: body(filler) }),
    await scoreOf('ocelot', { sections: text('end') }, 'animals/ocelot'),
    await scoreOf('ocelot', { sections: [{ heading: 'Ocelot', anchor: '', body: filler }] }),
    await scoreOf('ocelot', { sections: text('start') }),
    await scoreOf('ocelot', { sections: text('end') }),
  ]
  assert.equal(
    scores.toSorted((a, b) => b - a),
    scores,
  )
  assert.is(new Set(scores).size, scores.length)
})

test('a page with too many words keeps the weightiest, and no word weighs nothing', async () => {
  const many = Array.from({ length: 12_000 }, (_, at) => `word${at}`).join(' ')
  const weights = await weigh({
    sections: [...body(many), { heading: 'Ocelot', anchor: '', body: 'An ocelot. Ocelot food.' }],
  })
  assert.ok(weights.length <= 60_001, String(weights.length))
  const score = (query: string) => judgeOf(searchTerms(query), { all: true })(weights, '').score
  const rare = Array.from({ length: 12_000 }, (_, at) => score(`word${at} x`))

  assert.ok(score('ocelot') > Math.max(...rare))
  assert.ok(Math.min(...rare) > 0)
})

test.run()
