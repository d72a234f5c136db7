/** Who may use the constraint, asked by access reviews before and after it is taken away. */
import { nameAwaited } from "../../domain/base/awaited";
import { listGroups } from "../../domain/kube/role-rules";
import { renderUser } from "../../domain/scc/grants";
import { constraintResource } from "../../domain/kube/kinds";
import { waitFor } from "../../kernel/wait";
import type { AccountReview } from "./plan";
import type { SccWay } from "../../domain/scc/lists";
import type { UnbindDeps } from "./read";

/** A review's answer. */
export interface AccountAccess extends AccountReview {
  readonly allowed: boolean;
  /** The authorizer's own words. */
  readonly reason: string;
}

const limitMs = 10_000;
const pauseMs = 200;

/** Asks once for each place. */
export async function reviewAll(
  deps: UnbindDeps,
  constraint: string,
  places: readonly AccountReview[],
): Promise<readonly AccountAccess[]> {
  return await Promise.all(places.map((place) => review(deps, constraint, place)));
}

/** Asks until nobody may use the constraint but by a known way, or the limit is reached. */
export async function settleReviews(
  deps: UnbindDeps,
  { constraint, ways }: { readonly constraint: string; readonly ways: readonly SccWay[] },
  places: readonly AccountReview[],
): Promise<readonly AccountAccess[]> {
  const until = deps.clock.now() + limitMs;
  return await waitFor<readonly AccountAccess[]>(deps, {
    look: async () => {
      const answers = await reviewAll(deps, constraint, places);
      // every API server learns of a change by its own watch
      return unexplained(answers, ways).length === 0 || deps.clock.now() >= until
        ? { is: "done", value: answers }
        : {
            is: "moving",
            on: nameAwaited(`access to ${constraint}`, "the API server to learn of the change"),
          };
    },
    everyMs: pauseMs,
  });
}

/** The answers that allow what no known way explains; the constraint's groups are seen by no review. */
export function unexplained(
  answers: readonly AccountAccess[],
  ways: readonly SccWay[],
): readonly AccountAccess[] {
  return answers.filter(({ allowed, account, namespace }) => {
    const explained = ways.some(
      ({ account: holder, object, role }) =>
        role !== undefined &&
        renderUser(holder) === renderUser(account) &&
        [undefined, namespace].includes(object.metadata.namespace),
    );
    return allowed && !explained;
  });
}

/** Records the answers as steps of a phase. */
export function recordReviews(
  { recorder }: UnbindDeps,
  asked: { readonly phase: "before" | "after"; readonly constraint: string },
  answers: readonly AccountAccess[],
): void {
  for (const answer of answers) {
    const object = renderUser(answer.account);
    const why = sentence(answer, asked.constraint);
    recorder.addStep({ id: `scc.review-${asked.phase}`, action: "probe", object, why }, "done");
  }
}

function sentence({ namespace, allowed, reason }: AccountAccess, constraint: string): string {
  const may = allowed ? "may" : "may not";
  const because = allowed && reason !== "" ? ` (${reason})` : "";
  return `in namespace ${namespace} it ${may} use ${constraint} by RBAC${because}`;
}

async function review(
  { reviews, signal }: UnbindDeps,
  constraint: string,
  { account, namespace }: AccountReview,
): Promise<AccountAccess> {
  const { group, plural: resource } = constraintResource;
  const question = {
    user: renderUser(account),
    groups: listGroups(account),
    access: { group, resource, name: constraint, verb: "use", namespace },
  };
  return { account, namespace, ...(await reviews.ask(question, { fresh: true, signal })) };
}
