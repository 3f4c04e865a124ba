import { startExpress } from '../../bare-express.ts'
import { editPrimary } from '../../editing.ts'
import { type Figure, interleave, type Pace } from '../../figure.ts'
import { openFlooder } from '../../flood.ts'
import { importSpaces } from '../../space.ts'
import { withStemma } from '../../stemma.ts'

const connections = 32
const editsPerSecond = 20

/**
 * One page, read over many connections while another space is edited: edits must not empty the
 * cache of answers.
 */
export const pageReadEdited = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const size = { pages: 100, bytes: 8_000, commits: 1 }
    const [read, edited] = await importSpaces(stemma, [size, size])
    const path = `${read!.path}/content/page/${read!.pages[42]!.id}`
    const { bytes } = await stemma.caller.call('GET', path)
    const express = await startExpress(bytes)
    const flooder = openFlooder()
    const edit = () => editPrimary(stemma, edited!, edited!.pages[7]!)

    try {
      const load = { connections, status: 200, length: bytes.length, headers: stemma.headers }
      const subject = (seconds: number) =>
        whileEditing(edit, () => flooder.flood({ ...load, url: stemma.url + path, seconds }))
      const reference = (seconds: number) =>
        whileEditing(edit, () => flooder.flood({ ...load, url: express.url, seconds }))
      await subject(1)
      await reference(1)
      const rates = await interleave(pace.rounds, {
        subject: () => subject(pace.seconds),
        reference: () => reference(pace.seconds),
      })

      return [
        {
          work: `a page of ${(bytes.length / 1000).toFixed(1)} kB, warm, ${connections} connections, up to ${editsPerSecond} edits/s in another space`,
          value: rates.subject,
          unit: 'requests/s',
          reference: {
            what: 'bare Express, the same bytes, during the same edits',
            value: rates.reference,
          },
          target: { of: 'ratio', is: 'at least', value: 0.7 },
        },
      ]
    } finally {
      flooder.close()
      express.close()
    }
  })

/** Runs `work` while edits follow each other, at most `editsPerSecond` of them. */
async function whileEditing<Result>(
  edit: () => ReturnType<typeof editPrimary>,
  work: () => Promise<Result>,
): Promise<Result> {
  let ended = false
  const editing = (async () => {
    while (!ended) {
      const ms = await edit()
      await new Promise(resolve => setTimeout(resolve, Math.max(0, 1000 / editsPerSecond - ms)))
    }
  })()

  try {
    return await work()
  } finally {
    ended = true
    await editing
  }
}
