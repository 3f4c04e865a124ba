import { z } from 'zod'

const Line = z.int().min(1)

/** The places where the texts of a conflict differ. */
export const Hunks = z
  .array(
    z.object({
      hunk: z.string().meta({ description: 'Its name, which tells its texts.' }),
      base: z.string().meta({ description: 'The text that both sides started from.' }),
      ours: z.string().meta({ description: 'The text of the side `ours`.' }),
      theirs: z.string().meta({ description: 'The text of the side `theirs`.' }),
      lines: z
        .object({
          base: Line.meta({ description: 'The line in `base`, from 1 on.' }),
          ours: Line.meta({ description: 'The line in `ours`, from 1 on.' }),
          theirs: Line.meta({ description: 'The line in `theirs`, from 1 on.' }),
        })
        .meta({ description: 'The first line of the place in each version.' }),
    }),
  )
  .meta({
    description:
      'The places where the texts differ: `ours` is the side of the change request, or of the space in an import or export; `theirs` is the other one. Absent for files that are not UTF-8 on both sides, are larger than 1 MB or have more than 1,000 places, and for further files when an answer would become too large.',
  })
