/** The writes of `unbind-scc`, with their text. */
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { accessRef } from "../../domain/scc/grants";
import { type ListChange, listRemoved } from "../../domain/scc/lists";
import { getOwn } from "../../domain/base/values";
import { backBy, type Delete, type Patch } from "../../domain/kube/change";

/** A change, as it is asked about. */
export function describeAct(change: ListChange): string {
  const label = objectLabel(change.object);
  return change.deletes
    ? `delete ${label}`
    : `take ${listRemoved(change).join(", ")} out of ${label}`;
}

/** An account goes out of the lists of one object. */
export function makeChange(change: ListChange): Patch | Delete {
  const { object, lists, deletes } = change;
  const who = listRemoved(change).join(", ");
  const does = lists.flatMap(({ field, removed }) =>
    removed.map((one) => `take ${one} out of its ${field}`),
  );
  const told = {
    ...{ id: "scc.unbind", object, resource: accessRef(object).resource },
    risk: `a pod of ${who} that still needs the constraint is not admitted any more`,
  };
  if (deletes) {
    return {
      ...{ ...told, ...deletion, does: [...does, "delete it"] },
      why: `it is bound only to ${who}`,
      needs: "to delete a binding of nobody else",
    };
  }
  const { namespace } = object.metadata;
  return {
    ...{ ...told, verb: "patch", does, keepsWhole: true },
    edits: lists.map(({ field, left }) => ({
      path: [field],
      from: getOwn(object, field),
      to: left,
    })),
    why: `${who} goes out of its ${lists.map(({ field }) => field).join(" and ")}`,
    changes: lists.flatMap(({ field, removed }) =>
      removed.map((one) => ({ path: `.${field}[${JSON.stringify(one)}]`, to: null })),
    ),
    reverse: backBy("replace"),
    where: namespace === undefined ? [] : ["-n", namespace],
    needs: "to take the account out of it",
  };
}

/** The deletion of the constraint. */
export function makeRemoval(constraint: KubeObject): Delete {
  return {
    ...{
      ...deletion,
      id: "scc.delete",
      object: constraint,
      resource: accessRef(constraint).resource,
    },
    why: "no subject and no pod uses it any more",
    source: "S33",
    risk: `low: nobody uses ${objectLabel(constraint)} any more`,
    isHarmless: true,
    needs: "to delete the constraint when nobody is left",
  };
}

const deletion = { verb: "delete", putBack: "create", reverse: backBy("create") } as const;
