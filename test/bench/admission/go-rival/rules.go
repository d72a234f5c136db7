package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var (
	usualVersions  = []string{"7.2", "7.4", "8.0", "8.2"}
	bundledModules = []string{"search", "ReJSON", "timeseries", "bf"}
	versionForm    = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(?:[.-]|$)`)
)

// Validator judges databases by the ECs that it knows.
type Validator struct {
	Clusters          map[string]*Cluster
	OperatorNamespace string
}

type version struct{ major, minor int }

func (v version) below(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func parseVersion(text string) (version, bool) {
	match := versionForm.FindStringSubmatch(text)
	if match == nil {
		return version{}, false
	}
	major, _ := strconv.Atoi(match[1])
	minor, _ := strconv.Atoi(match[2])
	return version{major, minor}, true
}

// subject is what the rules read of an object of either kind.
type subject struct {
	namespace, name, kind string
	deleting              bool
	cluster, status       string
	// The places of the version, and the path of what holds the modules.
	versions []place
	parent   *field.Path
	judged   Judged
}

type place struct {
	path  *field.Path
	value string
}

func subjectOf(object runtime.Object) *subject {
	spec := field.NewPath("spec")
	switch object := object.(type) {
	case *Database:
		return &subject{
			namespace: object.Namespace, name: object.Name, kind: databaseKind,
			deleting: object.DeletionTimestamp != nil,
			cluster:  object.Spec.Cluster.Name, status: object.Status.Version,
			versions: []place{{spec.Child("engineVersion"), object.Spec.EngineVersion}},
			parent:   spec, judged: object.Spec.Judged,
		}
	case *ActiveActive:
		global := spec.Child("globalConfigurations")
		judged := object.Spec.GlobalConfigurations
		return &subject{
			namespace: object.Namespace, name: object.Name, kind: activeActiveKind,
			deleting: object.DeletionTimestamp != nil,
			cluster:  object.Spec.Cluster.Name, status: object.Status.Version,
			versions: []place{
				{spec.Child("engineVersion"), object.Spec.EngineVersion},
				{global.Child("engineVersion"), judged.EngineVersion},
			},
			parent: global, judged: judged,
		}
	default:
		return nil
	}
}

func (v *Validator) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	return v.judge(nil, subjectOf(object))
}

func (v *Validator) ValidateUpdate(_ context.Context, before, after runtime.Object) (admission.Warnings, error) {
	return v.judge(subjectOf(before), subjectOf(after))
}

func (v *Validator) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (v *Validator) judge(before, after *subject) (admission.Warnings, error) {
	if after.deleting || before != nil && before.deleting {
		return nil, nil
	}
	var changed []int
	for index, place := range after.versions {
		if place.value != "" && (before == nil || before.versions[index].value != place.value) {
			changed = append(changed, index)
		}
	}
	modules := modulesToJudge(before, after, len(changed) > 0)
	if len(changed) == 0 && len(modules) == 0 {
		return nil, nil
	}
	cluster := v.clusterOf(after)
	var wrong field.ErrorList
	for _, index := range changed {
		wrong = append(wrong, judgeVersion(before, after.versions[index], cluster)...)
	}
	wrong = append(wrong, judgeModules(modules, cluster)...)
	if len(wrong) == 0 {
		return nil, nil
	}
	kind := databaseVersion.WithKind(after.kind).GroupKind()
	return nil, apierrors.NewInvalid(kind, after.name, wrong)
}

func (v *Validator) clusterOf(database *subject) *Cluster {
	for _, namespace := range []string{database.namespace, v.OperatorNamespace} {
		if cluster := v.Clusters[namespace+"/"+database.cluster]; cluster != nil {
			return cluster
		}
	}
	return nil
}

// judgeVersion is R1, and R2 where the version is valid.
func judgeVersion(before *subject, asked place, cluster *Cluster) field.ErrorList {
	wanted := asked.value
	valid, majors := versionsOf(cluster)
	if wanted == "major" {
		return nil
	}
	if !slices.Contains(valid, wanted) {
		return field.ErrorList{field.NotSupported(asked.path, wanted, append(valid, "major"))}
	}
	target, _ := parseVersion(wanted)
	current, known := currentOf(before)
	underMajor := cluster != nil && cluster.Spec.UpgradePolicy == "major" || hadMajor(before)
	if !known || !underMajor || !current.below(target) || slices.Contains(majors, wanted) {
		return nil
	}
	text := fmt.Sprintf("%s is a minor release, refused as an upgrade from %s under policy major", wanted, current)
	return field.ErrorList{field.Forbidden(asked.path, text)}
}

func hadMajor(before *subject) bool {
	return before != nil && slices.ContainsFunc(before.versions, func(one place) bool {
		return one.value == "major"
	})
}

func currentOf(before *subject) (version, bool) {
	if before == nil {
		return version{}, false
	}
	for _, place := range before.versions {
		if current, known := parseVersion(place.value); known {
			return current, true
		}
	}
	return parseVersion(before.status)
}

// versionsOf tells the valid versions of an EC and the major ones among them.
func versionsOf(cluster *Cluster) (valid, majors []string) {
	var all []version
	if cluster != nil {
		for _, bundled := range cluster.Status.Versions {
			found, known := parseVersion(bundled.Version)
			if bundled.DBType != "engine" || !known || found.below(version{7, 2}) {
				continue
			}
			all = append(all, found)
			if bundled.Major {
				majors = append(majors, found.String())
			}
		}
	}
	if len(all) == 0 {
		for _, text := range usualVersions {
			found, _ := parseVersion(text)
			all = append(all, found)
		}
	}
	for _, each := range all {
		valid = append(valid, each.String())
	}
	if len(majors) > 0 {
		return valid, majors
	}
	for _, each := range all {
		lowest := !slices.ContainsFunc(all, func(other version) bool {
			return other.major == each.major && other.minor < each.minor
		})
		if lowest {
			majors = append(majors, each.String())
		}
	}
	return valid, majors
}

type judgedModule struct {
	path *field.Path
	name string
}

// modulesToJudge are all modules when the version changes, else those whose name is new.
func modulesToJudge(before, after *subject, changed bool) []judgedModule {
	known := map[string]bool{}
	if before != nil && !changed {
		for _, module := range append(slices.Clone(before.judged.ModuleList), before.judged.ModulesList...) {
			known[module.Name] = true
		}
	}
	var judged []judgedModule
	add := func(list string, modules []Module) {
		for index, module := range modules {
			if !known[module.Name] {
				path := after.parent.Child(list).Index(index).Child("name")
				judged = append(judged, judgedModule{path, module.Name})
			}
		}
	}
	add("moduleList", after.judged.ModuleList)
	add("modulesList", after.judged.ModulesList)
	return judged
}

// judgeModules is R3.
func judgeModules(modules []judgedModule, cluster *Cluster) field.ErrorList {
	var wrong field.ErrorList
	for _, module := range modules {
		if !slices.Contains(bundledModules, module.name) && !definedIn(cluster, module.name) {
			wrong = append(wrong, field.NotFound(module.path, module.name))
		}
	}
	return wrong
}

func definedIn(cluster *Cluster, name string) bool {
	if cluster == nil {
		return false
	}
	for _, module := range cluster.Status.Modules {
		if module.Name == name || module.DisplayName == name {
			return true
		}
	}
	return slices.ContainsFunc(cluster.Spec.UserDefinedModules, func(module Module) bool {
		return module.Name == name
	})
}
