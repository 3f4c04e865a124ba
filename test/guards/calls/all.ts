import { audience } from './audience.ts'
import type { Calls } from './call.ts'
import { content } from './content.ts'
import { customization } from './customization.ts'
import { discussions } from './discussions.ts'
import { happenings } from './events.ts'
import { integrations } from './integrations.ts'
import { members } from './members.ts'
import { openapi } from './openapi.ts'
import { people } from './people.ts'
import { places } from './places.ts'
import { redirects } from './redirects.ts'
import { search } from './search.ts'
import { siteStructure } from './site-structure.ts'
import { sites } from './sites.ts'
import { sso } from './sso.ts'
import { teams } from './teams.ts'
import { templates } from './templates.ts'

/** Every call that needs more than the ids of the world. */
export const calls: Calls = {
  ...people,
  ...places,
  ...content,
  ...discussions,
  ...members,
  ...teams,
  ...sso,
  ...search,
  ...sites,
  ...customization,
  ...siteStructure,
  ...audience,
  ...integrations,
  ...redirects,
  ...templates,
  ...happenings,
  ...openapi,
}
