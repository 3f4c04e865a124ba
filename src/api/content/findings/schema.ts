import { z } from 'zod'
import { findingKinds, severities } from '../../../content/findings/kinds.ts'
import { listOf, PageQuery, QueryFlag } from '../../../http/list.ts'

const Kind = z.enum(findingKinds)

const Finding = z
  .object({
    file: z.string().optional().meta({ description: 'The path in the repository.' }),
    line: z.int().optional().meta({
      description: 'The line, starting at 1; left out for a finding about the whole file.',
    }),
    kind: Kind,
    severity: z.enum(severities).meta({
      description:
        '`error`: something is missing for readers, or they see something that is not meant for them. `warning`: something may be missing. `info`: nothing is missing.',
    }),
    message: z.string(),
    advice: z.string().meta({ description: 'What to write instead.' }),
  })
  .meta({
    id: 'Finding',
    description:
      'A problem in the content: something that is not understood, or a link without a target.',
    sentences: {
      kind: 'The kind of finding. The manual page "Findings" explains each kind.',
      message: 'The problem, as a sentence.',
    },
  })

export const Findings = listOf(Finding).extend({
  stats: z.object({ total: z.int(), kinds: z.partialRecord(Kind, z.int()) }).meta({
    id: 'FindingStats',
    sentences: {
      total: 'All findings.',
      kinds: 'The number of findings of each kind that occurs.',
    },
    description: 'The numbers of all findings, regardless of the filters.',
  }),
})

export const FindingsQuery = PageQuery.extend({
  kind: z
    .string()
    .max(1000)
    .transform(text => text.split(',').map(name => name.trim()))
    .pipe(z.array(Kind))
    .optional()
    .meta({
      description: 'Only findings of these kinds, separated by commas. Default: all.',
      example: 'dead-redirect,missing-anchor',
    }),
})

export const ChangeRequestFindingsQuery = FindingsQuery.extend({
  added: QueryFlag.optional().meta({
    description:
      'With true, only findings that the primary content, which the change request started from or was last updated with, does not have. The file, the kind and the message are compared, not the line.',
  }),
})
