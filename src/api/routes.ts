import { joinRoutes } from '../http/endpoint.ts'
import { audienceRoutes } from './routes/audience.ts'
import { changeRequestsRoutes } from './routes/change-requests.ts'
import { collectionsRoutes } from './routes/collections.ts'
import { commentsRoutes } from './routes/comments.ts'
import { contentRoutes } from './routes/content.ts'
import { eventsRoutes } from './routes/events.ts'
import { gitRoutes } from './routes/git.ts'
import { integrationsRoutes } from './routes/integrations.ts'
import { invitationsRoutes } from './routes/invitations.ts'
import { membersRoutes } from './routes/members.ts'
import { openapiRoutes } from './routes/openapi.ts'
import { organizationsRoutes } from './routes/organizations.ts'
import { revisionsRoutes } from './routes/revisions.ts'
import { searchAndLinksRoutes } from './routes/search-and-links.ts'
import { sitesRoutes } from './routes/sites.ts'
import { spacesRoutes } from './routes/spaces.ts'
import { ssoRoutes } from './routes/sso.ts'
import { usersRoutes } from './routes/users.ts'

/** Every operation below `/v1`, in reading order. */
export const api = joinRoutes(
  usersRoutes,
  organizationsRoutes,
  membersRoutes,
  ssoRoutes,
  eventsRoutes,
  collectionsRoutes,
  spacesRoutes,
  sitesRoutes,
  audienceRoutes,
  integrationsRoutes,
  contentRoutes,
  revisionsRoutes,
  changeRequestsRoutes,
  commentsRoutes,
  searchAndLinksRoutes,
  invitationsRoutes,
  openapiRoutes,
  gitRoutes,
)
