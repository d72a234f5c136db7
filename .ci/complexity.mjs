/**
 * ESLint's own rule `complexity`, without counting `?.` and `??`: a field that may be absent is no branch that
 * a reader has to follow.
 */
import { builtinRules } from "eslint/use-at-your-own-risk";

const counted = builtinRules.get("complexity");

export default {
  meta: counted.meta,
  create(context) {
    const listeners = { ...counted.create(context) };
    delete listeners.MemberExpression;
    delete listeners.CallExpression;
    const { LogicalExpression: countLogical, AssignmentExpression: countAssignment } = listeners;
    listeners.LogicalExpression = (node) => {
      if (node.operator !== "??") countLogical(node);
    };
    listeners.AssignmentExpression = (node) => {
      if (node.operator !== "??=") countAssignment(node);
    };
    return listeners;
  },
};
