import { z } from 'zod'
import { PageQuery } from '../../../http/list.ts'

export const FeedbackQuery = PageQuery.extend({
  from: z.iso.date().optional().meta({ description: 'The first day, in UTC.' }),
  to: z.iso.date().optional().meta({ description: 'The last day, in UTC.' }),
})

export const SitePageFeedback = z
  .object({
    object: z.literal('site-page-feedback'),
    siteSpace: z.string(),
    page: z
      .string()
      .meta({ description: 'The id of the page, which may have been deleted since.' }),
    ratings: z.object({ yes: z.number(), partly: z.number(), no: z.number() }).meta({
      description: 'How many readers gave each answer; a reader counts once per page and day.',
    }),
  })
  .meta({
    id: 'SitePageFeedback',
    description: 'What readers answered to "Was this page helpful?".',
    sentences: {
      siteSpace: 'The id of the site space that contains the page.',
      'ratings.yes': 'The readers whom it helped.',
      'ratings.partly': 'The readers whom it helped in part.',
      'ratings.no': 'The readers whom it did not help.',
    },
  })
