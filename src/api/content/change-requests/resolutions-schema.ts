import { z } from 'zod'

const ResolutionPath = z.string().min(1).max(1024)
const Name = z.string().max(4096)
const Side = z.enum(['ours', 'theirs'])
const ResolvedText = z.string().max(10_000_000)

/** How a resolution is made of parts, as a sentence for its description. */
export const inParts =
  '`hunks` has a choice for each hunk of the conflict; text around them is merged. `entries` has one for each entry of a table of contents.'

/** The resolutions of the conflicts of a merge, one for each file. */
export const Resolutions = z
  .array(
    z.union(
      [
        z.strictObject({
          path: ResolutionPath.meta({ description: 'The file with the conflict.' }),
          take: Side.meta({ description: 'The side that is taken.' }),
        }),
        z.strictObject({
          path: ResolutionPath.meta({ description: 'The file with the conflict.' }),
          content: ResolvedText.meta({ description: 'The resolved text of the file.' }),
        }),
        z.strictObject({
          path: ResolutionPath.meta({ description: 'The file with the conflict.' }),
          hunks: z
            .array(
              z.union([
                z.strictObject({
                  hunk: Name.meta({ description: 'The name of the hunk in the conflict.' }),
                  take: z.enum(['ours', 'theirs', 'both']).meta({
                    description: 'The side that is taken; `both` takes `ours` and then `theirs`.',
                  }),
                }),
                z.strictObject({
                  hunk: Name.meta({ description: 'The name of the hunk in the conflict.' }),
                  content: ResolvedText.meta({ description: 'The text in place of the hunk.' }),
                }),
              ]),
            )
            .max(1000)
            .meta({ description: 'A choice for each hunk of the conflict.' }),
        }),
        z.strictObject({
          path: ResolutionPath.meta({ description: 'The file with the conflict.' }),
          entries: z
            .array(
              z.strictObject({
                entry: Name.meta({ description: 'The name of the entry in the conflict.' }),
                take: Side.meta({ description: 'The side that is taken.' }),
              }),
            )
            .max(1000)
            .meta({
              description: 'A choice for each entry of the table of contents in the conflict.',
            }),
        }),
      ],
      'takes {"path", "take": "ours" or "theirs"}, {"path", "content"} with at most 10,000,000 characters, {"path", "hunks"} with {"hunk", "take"} or {"hunk", "content"} for each hunk of the conflict, or {"path", "entries"} with {"entry", "take"} for each entry of it',
    ),
  )
  .max(1000)
  .optional()
