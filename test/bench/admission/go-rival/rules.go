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

func (v *Validator) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	return v.judge(nil, object.(*Database))
}

func (v *Validator) ValidateUpdate(_ context.Context, before, after runtime.Object) (admission.Warnings, error) {
	return v.judge(before.(*Database), after.(*Database))
}

func (v *Validator) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func (v *Validator) judge(before, after *Database) (admission.Warnings, error) {
	if after.DeletionTimestamp != nil || before != nil && before.DeletionTimestamp != nil {
		return nil, nil
	}
	changed := after.Spec.EngineVersion != "" &&
		(before == nil || before.Spec.EngineVersion != after.Spec.EngineVersion)
	modules := modulesToJudge(before, after, changed)
	if !changed && len(modules) == 0 {
		return nil, nil
	}
	cluster := v.clusterOf(after)
	var wrong field.ErrorList
	if changed {
		wrong = append(wrong, judgeVersion(before, after, cluster)...)
	}
	wrong = append(wrong, judgeModules(modules, cluster)...)
	if len(wrong) == 0 {
		return nil, nil
	}
	kind := databaseVersion.WithKind(databaseKind).GroupKind()
	return nil, apierrors.NewInvalid(kind, after.Name, wrong)
}

func (v *Validator) clusterOf(database *Database) *Cluster {
	for _, namespace := range []string{database.Namespace, v.OperatorNamespace} {
		if cluster := v.Clusters[namespace+"/"+database.Spec.Cluster.Name]; cluster != nil {
			return cluster
		}
	}
	return nil
}

// judgeVersion is R1, and R2 where the version is valid.
func judgeVersion(before, after *Database, cluster *Cluster) field.ErrorList {
	path := field.NewPath("spec", "engineVersion")
	wanted := after.Spec.EngineVersion
	valid, majors := versionsOf(cluster)
	if wanted == "major" {
		return nil
	}
	if !slices.Contains(valid, wanted) {
		return field.ErrorList{field.NotSupported(path, wanted, append(valid, "major"))}
	}
	target, _ := parseVersion(wanted)
	current, known := currentOf(before)
	underMajor := cluster != nil && cluster.Spec.UpgradePolicy == "major" ||
		before != nil && before.Spec.EngineVersion == "major"
	if !known || !underMajor || !current.below(target) || slices.Contains(majors, wanted) {
		return nil
	}
	text := fmt.Sprintf("%s is a minor release, refused as an upgrade from %s under policy major", wanted, current)
	return field.ErrorList{field.Forbidden(path, text)}
}

func currentOf(before *Database) (version, bool) {
	if before == nil {
		return version{}, false
	}
	if current, known := parseVersion(before.Spec.EngineVersion); known {
		return current, true
	}
	return parseVersion(before.Status.Version)
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
func modulesToJudge(before, after *Database, changed bool) []judgedModule {
	known := map[string]bool{}
	if before != nil && !changed {
		for _, module := range append(slices.Clone(before.Spec.ModuleList), before.Spec.ModulesList...) {
			known[module.Name] = true
		}
	}
	var judged []judgedModule
	add := func(list string, modules []Module) {
		for index, module := range modules {
			if !known[module.Name] {
				path := field.NewPath("spec", list).Index(index).Child("name")
				judged = append(judged, judgedModule{path, module.Name})
			}
		}
	}
	add("moduleList", after.Spec.ModuleList)
	add("modulesList", after.Spec.ModulesList)
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
