import { z } from 'zod'

const Line = z.int().min(1)

/** The places where the texts of a conflict differ. */
export const Hunks = z
  .array(
    z.object({
      hunk: z.string().meta({
        description:
          'The identifier of the place, derived from its texts. A resolution refers to the place by it.',
      }),
      base: z.string().meta({ description: 'The text that both sides started from.' }),
      ours: z.string().meta({ description: 'The text of the side `ours`.' }),
      theirs: z.string().meta({ description: 'The text of the side `theirs`.' }),
      lines: z
        .object({
          base: Line.meta({ description: 'The line in `base`, starting at 1.' }),
          ours: Line.meta({ description: 'The line in `ours`, starting at 1.' }),
          theirs: Line.meta({ description: 'The line in `theirs`, starting at 1.' }),
        })
        .meta({ description: 'The first line of the place in each version.' }),
    }),
  )
  .meta({
    description:
      'The places where the texts differ: `ours` is the side of the change request, or of the space in an import or export; `theirs` is the other one. Left out for files that are not UTF-8 on both sides, are larger than 1 MB or have more than 1,000 places, and for further files when an answer would become too large.',
  })
